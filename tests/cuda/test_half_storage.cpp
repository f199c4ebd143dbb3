// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/half_storage.hpp on the simulated GPU, and tensor cores on half storage.
// tkl-test: timeout=900
#include "support/cuda_compare.hpp"

namespace {
constexpr int seeds_of_half_storage = 200;
}
#include "work_items/half_storage.hpp"

namespace {

struct two_convolutions {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 9, 9, 16});
    const auto y = tkl::relu(tkl::conv2d(x, g.weight("w", {24, 16, 3, 3}), g.weight("b", {24}), {.pad = 1}));
    return tkl::conv2d(y, g.weight("v", {16, 24, 1, 1}));
  }
};

template <tkl::element Type>
void check_tensor_cores(double slack) {
  using net =
      tkl::compile<two_convolutions, tkl::half_storage<tkl::cuda<tkl::arch::sm_80, tkl::cuda_product::rounded>, Type>>;
  const tkl::device_plan p = net::plan();
  REQUIRE(p.step_count == 2);
  CHECK(p.edges[p.steps[1].in[0]].type == Type);
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    CHECK(p.edges[p.steps[i].weight].type == tkl::f32);
    const bool tiles = net::kernel_list()[static_cast<std::size_t>(p.steps[i].kernel)].tiles != nullptr;
    CHECK(tiles);
  }
  tkl_test::check_device<two_convolutions, typename net::target>(slack);
}

TEST_CASE("tensor cores read values of 16 bits and panels of f32") {
  // Both operands of a product are rounded, twice in a row: 4 units of 2^-11 or 2^-8 of the largest number.
  check_tensor_cores<tkl::f16>(10);
  check_tensor_cores<tkl::bf16>(80);
}

}  // namespace
