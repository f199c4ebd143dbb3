// SPDX-License-Identifier: Apache-2.0
// Whole small networks on a device: convolutions, pooling, a reduction, a product, softmax; and one that reads a
// picture.
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

/// A picture of bytes, its channels in the other order, normalised.
struct picture_reader {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto bytes = g.input("picture", tkl::u8, {1, 15, 22, 3});
    const auto x = (tkl::cast(tkl::flip(bytes, 3), tkl::f32) - g.weight("mean", {3})) * g.weight("scale", {3});
    return tkl::relu(
        tkl::conv2d(x, g.weight("conv.weight", {8, 3, 3, 3}), g.weight("conv.bias", {8}), {.stride = 2, .pad = 1}));
  }
};
using reads_picture = tkl::compile<picture_reader, tkl_test::device_target>;
static_assert(reads_picture::steps == 1 && reads_picture::conversions == 0 && reads_picture::arena_bytes == 0);

TEST_CASE("what stands between a picture and the first convolution is computed as that loads") {
  tkl_test::check_device<picture_reader>();
}

}  // namespace
