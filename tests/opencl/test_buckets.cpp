// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/buckets.hpp on an OpenCL device; and equal kernels of the shapes are built once.
#include "support/opencl_compare.hpp"
#include "work_items/buckets.hpp"

namespace {

TEST_CASE("kernels with equal keys are built once for all shapes") {
  tkl::graph g;
  tkl::build_model<strip<8>>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto context = tkl::opencl_context::make(tkl_test::device().device());
  REQUIRE(context.ok());
  const auto model = strips::load(*context, *tensors);
  REQUIRE_MESSAGE(model.ok(), model.error().message());
  CHECK(context->programs() == static_cast<std::size_t>(strips::model<8>::kernels));
}

}  // namespace
