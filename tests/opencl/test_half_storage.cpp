// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/half_storage.hpp on the first OpenCL device; and half precision, which a device must have.
// tkl-test: timeout=900
#include "support/opencl_compare.hpp"

namespace {
constexpr int seeds_of_half_storage = 12;  // every new kernel costs the device's compiler a moment
}
#include "work_items/half_storage.hpp"

namespace {

struct two_convolutions {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 4, 5, 12});
    return tkl::conv2d(tkl::relu(tkl::conv2d(x, g.weight("w", {16, 12, 3, 3}))), g.weight("v", {8, 16, 1, 1}));
  }
};
using in_half = tkl::compile<two_convolutions,
                             tkl::opencl<tkl::arch::mali_g52, tkl::text_time::compile, tkl::opencl_precision::half>>;
using stored = tkl::compile<two_convolutions, tkl::half_storage<tkl::opencl<>>>;
static_assert(in_half::steps == stored::steps && in_half::weights_bytes == stored::weights_bytes);

TEST_CASE("half precision stores f16; a device that does not compute so is refused, with its name") {
  int kernels = 0;
  for (const tkl::opencl_kernel& k : in_half::kernel_list()) kernels += k.half;
  CHECK(kernels == 1);
  for (const tkl::opencl_kernel& k : stored::kernel_list()) CHECK(!k.half);
  tkl::graph g;
  tkl::build_model<two_convolutions>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto loaded = in_half::load(tkl_test::device(), *tensors);
  const std::string message = loaded.error().message(), extensions = [] {
    std::string e;
    REQUIRE(tkl_test::device().device().getInfo(CL_DEVICE_EXTENSIONS, &e) == CL_SUCCESS);
    return e;
  }();
  if (extensions.find("cl_khr_fp16") == std::string::npos)
    CHECK(message == "OpenCL device '" + tkl_test::device().device_name() +
                         "': arithmetic in half precision: extension cl_khr_fp16 needed, it has none");
}

}  // namespace
