// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <tkl/conv.hpp>
#include <tkl/elementwise.hpp>
#include <tkl/layernorm.hpp>
#include <vector>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

using image = tensor<float, nhwc<>>;
using filter = tensor<float, row_major<dyn, dyn, dyn, dyn>>;

/// What the definition gives, plus a bias per channel.
template <class X, class W>
reals expected(const X& x, const W& w, const conv2d_params& p, float bias = 0) {
  const reals input = reals_of(x), weights = reals_of(w);
  const conv_rule r = conv2d_rule(input.shape, weights.shape, p);
  reals y = zeros(r.result.out);
  conv2d_definition(input.in(), weights.in(), {}, y.out(), r.attr);
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] += bias;
  return y;
}

struct conv_case {
  std::int64_t n, h, w, c, o, kh, kw;
  conv2d_params params;
};
const conv_case cases[] = {
    {1, 5, 6, 16, 24, 3, 3, {.pad = 1}},
    {2, 7, 5, 13, 9, 1, 1, {}},
    {1, 9, 8, 3, 10, 3, 3, {.stride = 2, .pad = 1}},
    {1, 6, 9, 4, 6, 3, 5, {.stride = {2, 1}, .pad = {0, 2, 1, 1}, .dilation = {1, 2}}},
    {1, 8, 7, 12, 18, 3, 3, {.pad = same, .groups = 3}},
    {2, 6, 6, 11, 11, 3, 3, {.stride = 2, .pad = 1, .groups = 11}},
    {1, 6, 5, 4, 12, 5, 5, {.pad = 2, .groups = 4}},
    {1, 4, 4, 1, 1, 5, 5, {.stride = 2, .pad = {1, 1, 2, 2}}},
    {1, 3, 1, 33, 17, 2, 1, {.pad = same_lower}},
    {1, 1, 40, 6, 7, 1, 7, {.pad = {0, 3}}},
};

}  // namespace

TEST_CASE("convolutions with dynamic extents: raw and packed weights, one and several workers") {
  std::uint32_t seed = 1;
  for (const conv_case& k : cases) {
    CAPTURE(seed);
    image x(nhwc(k.n, k.h, k.w, k.c));
    filter w(row_major(k.o, k.c / k.params.groups, k.kh, k.kw));
    fill(x, ++seed), fill(w, ++seed);
    const reals want = expected(x, w, k.params, 2);
    const shape s = want.shape;
    image y(nhwc(s[0], s[1], s[2], s[3])), z(nhwc(s[0], s[1], s[2], s[3]));
    fill_with(y, std::numeric_limits<float>::quiet_NaN());
    const auto packed = pack_conv2d(w, k.params);
    REQUIRE(packed);
    CHECK(good(assign(y, conv2d(x, *packed, k.params) + 2)));
    CHECK(agree(reals_of(y), want));
    const cpu<arch::native, three_parts> parts;
    CHECK(good(assign(parts, z, conv2d(x, *packed, k.params) + 2)));
    CHECK(agree(reals_of(z), reals_of(y), 0));

    fill_with(z, 0);
    tensor<std::uint8_t, row_major<dyn>> memory(row_major<dyn>(scratch_bytes(z, conv2d(x, w, k.params) + 2)));
    CHECK(good(assign(cpu<>(memory), z, conv2d(x, w, k.params) + 2)));
    CHECK(agree(reals_of(z), reals_of(y), 0));
  }
}

TEST_CASE("convolutions with static extents are checked and chosen by the compiler") {
  tensor<float, nhwc<1, 7, 6, 16>> x;
  tensor<float, row_major<24, 16, 3, 3>> w;
  tensor<float, row_major<24>> bias;
  tensor<float, nhwc<1, 4, 3, 24>> y, residual;
  fill(x, 1), fill(w, 2), fill(bias, 3), fill(residual, 4);
  const auto packed = pack_conv2d(w);
  REQUIRE(packed);
  constexpr conv2d_params p{.stride = 2, .pad = 1};
  static_assert(std::is_void_v<decltype(assign(y, conv2d<p>(x, *packed)))>);
  assign(y, relu(conv2d<p>(x, *packed) + channel(bias)) + residual);
  reals want = expected(x, w, p);
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double v = want.values[i] + static_cast<double>(bias.data()[i % 24]);
    want.values[i] = (v > 0 ? v : 0) + static_cast<double>(residual.data()[i]);
  }
  CHECK(agree(reals_of(y), want));
  const auto with_bias = pack_conv2d(w, bias);
  REQUIRE(with_bias);
  assign(residual, relu(conv2d<p>(x, *with_bias)) + residual);  // the residual is replaced
  CHECK(agree(reals_of(residual), want));

  tensor<float, row_major<16, 1, 3, 3>> taps;
  tensor<float, nhwc<1, 7, 6, 16>> z;
  fill(taps, 5);
  constexpr conv2d_params depthwise{.pad = 1, .groups = 16};
  assign(z, conv2d<depthwise>(x, taps));  // packed on the stack
  CHECK(agree(reals_of(z), expected(x, taps, depthwise)));
}

TEST_CASE("another schedule, another order of the input") {
  image x(nhwc(1, 6, 5, 20)), y(nhwc(1, 6, 5, 50));
  tensor<float, nchw<>> planes(nchw(1, 20, 6, 5));
  filter w(row_major(50, 20, 3, 3));
  fill(x, 1), fill(w, 2);
  const conv2d_params p{.pad = 1};
  const reals want = expected(x, w, p);
  constexpr int panel = arch::native::conv.nr + 1;  // not that of the default schedule
  constexpr conv_schedule schedule{.mr = 2, .nr = panel, .kc = 64, .mc = 8, .band = 2};
  const auto packed = pack_conv2d<arch::native, schedule>(w, p);
  REQUIRE(packed);
  CHECK(good(assign<schedule>(cpu<>{}, y, conv2d(x, *packed, p))));
  CHECK(agree(reals_of(y), want));
  const auto wrong = pack_conv2d(w, p);
  REQUIRE(wrong);
  const status s = assign<schedule>(cpu<>{}, y, conv2d(x, *wrong, p));
  CHECK(message_of(s).find("the weight is packed in panels of ") != std::string::npos);

  CHECK(good(assign(planes, x)));
  fill_with(y, 0);
  CHECK(good(assign(y, conv2d(planes, *wrong, p))));
  CHECK(agree(reals_of(y), want));
  tensor<float, nchw<>> out(nchw(1, 50, 6, 5));
  CHECK(message_of(assign(out, conv2d(x, *wrong, p))) ==
        "conv2d: the target has its columns 30 elements apart, this op writes neighbours: assign to a row-major (nhwc) "
        "tensor and "
        "copy it");
  // Part of a wider tensor as target, a slice as input.
  image wide(nhwc(1, 6, 5, 60));
  CHECK(good(assign(slice(wide, 3, 10, 60), conv2d(x, *wrong, p))));
  CHECK(agree(reals_of(slice(wide, 3, 10, 60)), want));
  filter first(row_major(50, 7, 1, 1));
  fill(first, 3);
  const auto pointwise = pack_conv2d(first, conv2d_params{});
  REQUIRE(pointwise);
  CHECK(good(assign(y, conv2d(slice(x, 3, 4, 11), *pointwise, {}))));
  CHECK(agree(reals_of(y), expected(slice(x, 3, 4, 11), first, {})));
}

TEST_CASE("transposed convolutions") {
  struct transpose_case {
    std::int64_t h, w, c, o, kh, kw;
    conv_transpose2d_params params;
  };
  const transpose_case all[] = {{3, 3, 1, 1, 3, 3, {.stride = 2, .pad = 2, .dilation = 2}},
                                {2, 2, 5, 19, 3, 3, {.stride = 2, .pad = 1, .output_pad = 1}},
                                {4, 3, 6, 4, 2, 2, {.stride = 2, .groups = 2}},
                                {2, 2, 1, 1, 3, 3, {.pad = same}}};
  std::uint32_t seed = 50;
  for (const transpose_case& k : all) {
    image x(nhwc(2, k.h, k.w, k.c));
    filter w(row_major(k.c, k.o / k.params.groups, k.kh, k.kw));
    fill(x, ++seed), fill(w, ++seed);
    const reals input = reals_of(x), weights = reals_of(w);
    const conv_rule r = conv_transpose2d_rule(input.shape, weights.shape, k.params);
    reals want = zeros(r.result.out);
    conv_transpose2d_definition(input.in(), weights.in(), {}, want.out(), r.attr);
    image y(nhwc(want.shape[0], want.shape[1], want.shape[2], want.shape[3]));
    const auto packed = pack_conv_transpose2d(w, k.params);
    REQUIRE(packed);
    CHECK(good(assign(y, conv_transpose2d(x, *packed, k.params))));
    CHECK(agree(reals_of(y), want));
    CHECK(good(assign(y, conv_transpose2d(x, w, k.params))));
    CHECK(agree(reals_of(y), want));
    conv_transpose2d_params other = k.params;
    other.stride = 3;
    CHECK(!assign(y, conv_transpose2d(x, *packed, other)));
  }
}

TEST_CASE("the element-wise part runs in the order in which it is written") {
  tensor<float, nhwc<1, 1, 1, 1>> x, residual, y;
  tensor<float, row_major<1, 1, 1, 1>> w;
  tensor<float, row_major<1>> bias;
  fill_with(x, -3), fill_with(w, 1), fill_with(bias, 1), fill_with(residual, 5);
  const auto packed = pack_conv2d(w);
  REQUIRE(packed);
  assign(y, relu(conv2d(x, *packed) + channel(bias)) + residual);
  CHECK(y(0, 0, 0, 0) == 5.0f);
  assign(y, relu(conv2d(x, *packed) + channel(bias) + residual));
  CHECK(y(0, 0, 0, 0) == 3.0f);
  // conv -> relu -> batch norm: the norm is not moved across the relu.
  tensor<float, row_major<1>> scale, shift, mean, variance;
  fill_with(x, -2), fill_with(scale, 3), fill_with(shift, 1), fill_with(variance, 1);
  assign(y, batch_norm(relu(conv2d(x, *packed)), scale, shift, mean, variance));
  CHECK(y(0, 0, 0, 0) == doctest::Approx(1.0));
}

TEST_CASE("mistakes in convolutions are messages with both numbers, and write nothing") {
  image x(nhwc(1, 4, 4, 4)), y(nhwc(1, 4, 4, 6));
  filter w(row_major(6, 1, 3, 3));
  fill(x, 1), fill(w, 2);
  fill_with(y, 9);
  CHECK(message_of(assign(y, conv2d(x, w, {.pad = 1, .groups = 4}))) ==
        "conv2d: weight has 6 output channels, not a multiple of groups 4");
  CHECK(message_of(assign(y, conv2d(x, w, {.pad = 1}))) == "conv2d: input has 4 channels, weight expects 1");
  CHECK(message_of(assign(y, conv2d(slice(x, 3, 0, 1), w, {.dilation = 2}))) ==
        "conv2d: axis 1 (rows): the kernel does not fit: it covers 5 (kernel 3, dilation 2), the padded input has 4 (0 "
        "+ 4 + 0)");
  CHECK(message_of(assign(y, conv2d(slice(x, 3, 0, 1), w, {}))) ==
        "conv2d: the target has shape 1x4x4x6, the result 1x2x2x6");
  CHECK(message_of(assign(y, conv2d(slice(x, 3, 0, 1), slice(w, 2, 0, 3, 2), {.pad = same}))) ==
        "conv2d: the weight 6x1x2x3 is not in row-major order without gaps: axis 0 steps by 9 elements, not 6");
  const tensor<float, row_major<5>> bias;
  CHECK(message_of(assign(y, conv2d(slice(x, 3, 0, 1), w, bias, {.pad = 1}))) ==
        "channel: 5 values, the result 1x4x4x6 has 6 channels");
  CHECK(message_of(assign(y, conv2d(slice(x, 3, 0, 1), w, {.pad = 1}) + x)) ==
        "operand 1 of the element-wise part has shape 1x4x4x4, does not broadcast to 1x4x4x6, the result of conv2d");
  const auto packed = pack_conv2d(w, conv2d_params{.groups = 2});
  REQUIRE(packed);
  CHECK(message_of(assign(y, conv2d(slice(x, 3, 0, 1), *packed, {.pad = 1}))) ==
        "conv2d: the weight was packed for groups 2, groups is 1");
  CHECK(!pack_conv2d(w, conv2d_params{.groups = 4}));
  CHECK(!pack_conv2d(w, bias, conv2d_params{}));
  constexpr std::int64_t huge = std::int64_t{1} << 62;  // no elements, and sizes beyond 64 bits
  const view<const float, row_major<dyn, dyn, dyn, dyn>> no_outputs(nullptr, row_major(0, huge, 1, 1));
  CHECK(!pack_conv2d(no_outputs, conv2d_params{.groups = 4}));
  const view<const float, row_major<dyn, dyn, dyn, dyn>> no_depth(nullptr, row_major(huge, 0, 3, 3));
  CHECK(!pack_conv2d(no_depth, conv2d_params{}));
  CHECK(!pack_conv_transpose2d(no_depth, conv_transpose2d_params{.stride = 2}));
  for (float v : y) CHECK(v == 9.0f);
  image big(nhwc(1, 2, 2, 64)), out(nhwc(1, 2, 2, 64));
  filter raw(row_major(64, 64, 3, 3));
  const status s = assign(out, conv2d(big, raw, {.pad = 1}));
  CHECK(message_of(s).find("assign: the kernel needs ") == 0);
  CHECK(message_of(s).find("the target has 0 (the stack gives 65536)") != std::string::npos);
  CHECK(scratch_bytes(out, conv2d(big, raw, {.pad = 1})) > 64 * 64 * 9 * 4);
}

TEST_CASE("hard cases of convolution") {
  // A width of 9 cells is no multiple of a vector.
  image x(nhwc(1, 6, 6, 3)), y(nhwc(1, 3, 3, 4));
  for (int c = 0; c < 3; ++c)
    for (int h = 0; h < 6; ++h)
      for (int w = 0; w < 6; ++w) x(0, h, w, c) = static_cast<float>(100 * c + 10 * h + w);
  filter w(row_major(4, 3, 3, 3));
  for (int o = 0; o < 4; ++o)
    for (int i = 0; i < 27; ++i) w.data()[27 * o + i] = static_cast<float>(o + 1);
  CHECK(good(assign(y, conv2d(x, w, {.stride = 2, .pad = 1}))));
  const double plane[] = {1266, 1926, 1962, 2169, 3294, 3348, 2529, 3834, 3888};
  for (int i = 0; i < 9; ++i)
    for (int o = 0; o < 4; ++o) CHECK(y(0, i / 3, i % 3, o) == static_cast<float>(plane[i] * (o + 1)));
  // Channel multiplier 2: output channel c * M + m.
  tensor<float, nhwc<1, 1, 1, 2>> two;
  tensor<float, nhwc<1, 1, 1, 4>> four;
  tensor<float, row_major<4, 1, 1, 1>> taps;
  two(0, 0, 0, 0) = 10, two(0, 0, 0, 1) = 100;
  for (int i = 0; i < 4; ++i) taps.data()[i] = static_cast<float>(i + 1);
  assign(four, conv2d<conv2d_params{.groups = 2}>(two, taps));
  CHECK(holds(four, {10, 20, 300, 400}));
  // Groups of two input channels.
  tensor<float, nhwc<1, 1, 1, 4>> g;
  tensor<float, nhwc<1, 1, 1, 6>> six;
  tensor<float, row_major<6, 2, 1, 1>> gw;
  const float in[] = {1, 10, 100, 1000};
  for (int i = 0; i < 4; ++i) g.data()[i] = in[i];
  for (int i = 0; i < 12; ++i) gw.data()[i] = static_cast<float>(i + 1);
  assign(six, conv2d<conv2d_params{.groups = 2}>(g, gw));
  CHECK(holds(six, {21, 43, 65, 8700, 10900, 13100}));
}

TEST_CASE("16-bit inputs and results") {
  tensor<half, nhwc<1, 5, 5, 9>> x;
  tensor<float, row_major<11, 9, 3, 3>> w;
  tensor<float, nhwc<1, 3, 3, 11>> y;
  tensor<half, nhwc<1, 3, 3, 11>> z;
  fill(x, 1), fill(w, 2);
  const auto packed = pack_conv2d(w);
  REQUIRE(packed);
  assign(y, conv2d(x, *packed));
  CHECK(agree(reals_of(y), expected(x, w, {})));
  assign(z, conv2d(x, *packed));
  CHECK(agree(reals_of(z), expected(x, w, {}), 1e-3));
}
