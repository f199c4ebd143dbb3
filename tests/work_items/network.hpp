// SPDX-License-Identifier: Apache-2.0
// A whole small network on a device: convolutions, pooling, a reduction, a product, softmax.
#pragma once

namespace {

struct digit_reader {
  static constexpr tkl::value build(tkl::graph& g) {
    auto x = g.input("image", tkl::f32, {1, 28, 28, 1});
    x = tkl::relu(
        tkl::conv2d(x, g.weight("conv1.weight", {8, 1, 5, 5}), g.weight("conv1.bias", {8}), {.stride = 2, .pad = 2}));
    x = tkl::relu(
        tkl::conv2d(x, g.weight("conv2.weight", {16, 8, 3, 3}), g.weight("conv2.bias", {16}), {.stride = 2, .pad = 1}));
    x = tkl::reshape(tkl::global_average_pool(x), {1, 16});
    return tkl::softmax(tkl::linear(x, g.weight("fc.weight", {10, 16}), g.weight("fc.bias", {10})));
  }
};
static_assert(tkl::supports<digit_reader, tkl_test::device_target>);

TEST_CASE("a small network") {
  tkl_test::check_device<digit_reader>();
}

}  // namespace
