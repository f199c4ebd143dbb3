// SPDX-License-Identifier: Apache-2.0
// The definitions of convolution and transposed convolution against published values and independent loops.
#include <random>

#include "run_op.hpp"

namespace {

/// [O, I, kH, kW] filter with element(o, i, u, v) by a function.
template <class F>
tensor_of_test filter(std::int64_t o, std::int64_t i, std::int64_t h, std::int64_t w, F f) {
  tensor_of_test t{{o, i, h, w}, {}, tkl::f32};
  for (std::int64_t a = 0; a < o; ++a)
    for (std::int64_t b = 0; b < i; ++b)
      for (std::int64_t u = 0; u < h; ++u)
        for (std::int64_t v = 0; v < w; ++v) t.values.push_back(f(a, b, u, v));
  return t;
}

op_result conv(const tensor_of_test& x, const tensor_of_test& w, const tkl::conv2d_params& p) {
  return run_op({x, w}, [&](tkl::graph&, graph_inputs in) { return tkl::conv2d(in[0], in[1], p); });
}
op_result transposed(const tensor_of_test& x, const tensor_of_test& w, const tkl::conv_transpose2d_params& p) {
  return run_op({x, w}, [&](tkl::graph&, graph_inputs in) { return tkl::conv_transpose2d(in[0], in[1], p); });
}

numbers channel(const op_result& r, std::int64_t c) {
  numbers out;
  for (std::size_t i = static_cast<std::size_t>(c); i < r.values.size(); i += static_cast<std::size_t>(r.shape[3]))
    out.push_back(r.values[i]);
  return out;
}

}  // namespace

TEST_CASE("strided convolution of a picture whose values name their places") {
  tensor_of_test x{{1, 6, 6, 3}, {}, tkl::f32};
  for (int h = 0; h < 6; ++h)
    for (int w = 0; w < 6; ++w)
      for (int c = 0; c < 3; ++c) x.values.push_back(100 * c + 10 * h + w);
  const auto r = conv(x, filter(4, 3, 3, 3, [](auto o, auto, auto, auto) { return static_cast<double>(o + 1); }),
                      {.stride = 2, .pad = 1});
  REQUIRE(r.shape == tkl::shape{1, 3, 3, 4});
  const numbers first{1266, 1926, 1962, 2169, 3294, 3348, 2529, 3834, 3888};
  for (int o = 0; o < 4; ++o) {
    numbers expected = first;
    for (double& v : expected) v *= o + 1;
    CHECK(channel(r, o) == expected);
  }
}

TEST_CASE("dilated depthwise convolution with bias") {
  tensor_of_test x{{1, 5, 5, 4}, {}, tkl::f32};
  for (int i = 1; i <= 25; ++i)
    for (int c = 0; c < 4; ++c) x.values.push_back(i);
  const auto r = run_op({x, filled({4, 1, 3, 3}, 1), filled({4}, 1)}, [](tkl::graph&, graph_inputs in) {
    return tkl::conv2d(in[0], in[1], in[2], {.pad = 2, .dilation = 2, .groups = 4});
  });
  for (int c = 0; c < 4; ++c)
    CHECK(channel(r, c) == numbers{29, 33, 49, 33, 37, 49, 53, 79, 53, 57,  73, 79, 118,
                                   79, 85, 49, 53, 79, 53, 57, 69, 73, 109, 73, 77});
}

TEST_CASE("groups take their own channels") {
  CHECK(conv({{1, 1, 1, 4}, {1, 10, 100, 1000}}, counting({6, 2, 1, 1}), {.groups = 2}).values ==
        numbers{21, 43, 65, 8700, 10900, 13100});
  // Depthwise with a multiplier of 2: output channel c * 2 + m.
  CHECK(conv({{1, 1, 1, 2}, {10, 100}}, counting({4, 1, 1, 1}), {.groups = 2}).values == numbers{10, 20, 300, 400});
}

TEST_CASE("four unequal paddings") {
  CHECK(conv(counting({1, 4, 4, 1}), filled({1, 1, 5, 5}, 1), {.stride = 2, .pad = {1, 1, 2, 2}}).values ==
        numbers{136, 108, 126, 99});
}

TEST_CASE("automatic padding where the kernel is shorter than the stride") {
  CHECK(conv(counting({1, 1, 5, 1}), filled({1, 1, 1, 1}, 7), {.stride = {1, 2}, .pad = tkl::same}).values ==
        numbers{7, 21, 35});
  CHECK(conv(counting({1, 1, 4, 1}), filled({1, 1, 1, 1}, 7), {.stride = {1, 2}, .pad = tkl::same_lower}).values ==
        numbers{7, 21});
}

TEST_CASE("padding is not multiplied: an infinite weight over the border gives no NaN") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto r = conv(filled({1, 1, 1, 1}, 1), {{1, 1, 3, 3}, {inf, inf, inf, inf, 2, inf, inf, inf, inf}}, {.pad = 1});
  CHECK(r.values == numbers{2});
}

TEST_CASE("transposed convolution with automatic padding") {
  CHECK(transposed({{1, 2, 2, 1}, {2, 3, 4, 5}}, counting({1, 1, 3, 3}, 2), {.pad = tkl::same_upper}).values ==
        numbers{49, 63, 91, 105});
}

TEST_CASE("transposed convolution with stride, dilation and padding") {
  CHECK(transposed(counting({1, 3, 3, 1}), counting({1, 1, 3, 3}), {.stride = 2, .pad = 2, .dilation = 2}).values ==
        numbers{26, 0, 56, 0, 54, 0, 0, 0, 0, 0, 84, 0, 165, 0, 144, 0, 0, 0, 0, 0, 134, 0, 236, 0, 186});
}

TEST_CASE("output padding holds contributions") {
  CHECK(transposed(counting({1, 2, 2, 1}), counting({1, 1, 3, 3}), {.stride = 2, .pad = 1, .output_pad = 1}).values ==
        numbers{5, 14, 10, 12, 14, 36, 24, 30, 15, 34, 20, 24, 24, 55, 32, 36});
}

TEST_CASE("transposed convolution with groups") {
  const tensor_of_test x{{1, 2, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8}, tkl::f32};
  tensor_of_test w = counting({1, 1, 3, 3});
  w.shape = {2, 1, 3, 3};
  w.values.insert(w.values.end(), w.values.begin(), w.values.end());
  const auto r = transposed(x, w, {.groups = 2});
  CHECK(channel(r, 0) == numbers{1, 4, 7, 6, 7, 23, 33, 24, 19, 53, 63, 42, 21, 52, 59, 36});
  CHECK(channel(r, 1) == numbers{5, 16, 27, 18, 27, 71, 97, 60, 63, 149, 175, 102, 49, 112, 127, 72});
}

// Independent formulation: a transposed convolution is the adjoint of the convolution with the same filter, so
// <conv(x), y> = <x, conv_transpose(y)> for any x and y.
TEST_CASE("transposed convolution is the adjoint of convolution") {
  std::mt19937 random(7);
  const auto fill = [&](const tkl::shape& s) {
    tensor_of_test t = filled(s, 0);
    for (double& v : t.values) v = static_cast<double>(static_cast<int>(random() % 17) - 8);
    return t;
  };
  for (int trial = 0; trial < 200; ++trial) {
    const auto pick = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const int groups = pick(1, 3), in = groups * pick(1, 3), out = groups * pick(1, 3);
    const int kh = pick(1, 3), kw = pick(1, 3);
    const tkl::pair2 stride{pick(1, 3), pick(1, 3)}, dilation{pick(1, 2), pick(1, 2)};
    const tkl::sides4 pad{pick(0, 2), pick(0, 2), pick(0, 2), pick(0, 2)};
    const tensor_of_test x = fill({1, pick(5, 8), pick(5, 8), in}), w = fill({out, in / groups, kh, kw});
    const auto forward = conv(x, w, {.stride = stride, .pad = pad, .dilation = dilation, .groups = groups});
    REQUIRE(forward.error.empty());
    const tensor_of_test y = fill(forward.shape);
    // The convolution's filter O, I / groups is the transposed one's I, O / groups with the roles exchanged.
    std::int64_t lost[2];
    for (int axis = 0; axis < 2; ++axis) {
      const std::int64_t k = axis == 0 ? kh : kw;
      const std::int64_t full = (forward.shape[1 + axis] - 1) * stride[axis] + (k - 1) * dilation[axis] + 1;
      lost[axis] = x.shape[1 + axis] + pad.before(axis) + pad.after(axis) - full;
    }
    if (lost[0] >= std::max(stride.rows, dilation.rows) || lost[1] >= std::max(stride.columns, dilation.columns))
      continue;
    const auto back = transposed(
        y, w, {.stride = stride, .pad = pad, .dilation = dilation, .groups = groups, .output_pad = {lost[0], lost[1]}});
    REQUIRE(back.error == "");
    REQUIRE(back.shape == x.shape);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i) left += forward.values[i] * y.values[i];
    for (std::size_t i = 0; i < x.values.size(); ++i) right += back.values[i] * x.values[i];
    REQUIRE(left == right);
  }
}

// Independent formulation of convolution: scatter every input element into the outputs it reaches.
TEST_CASE("convolution equals scattering") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto pick = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const int groups = pick(1, 3), per_in = pick(1, 3), per_out = pick(1, 3), kh = pick(1, 4), kw = pick(1, 4);
    const tkl::conv2d_params p{.stride = {pick(1, 3), pick(1, 3)},
                               .pad = {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)},
                               .dilation = {pick(1, 2), pick(1, 2)},
                               .groups = groups};
    tensor_of_test x = filled({2, pick(7, 9), pick(7, 9), groups * per_in}, 0);
    tensor_of_test w = filled({groups * per_out, per_in, kh, kw}, 0);
    for (double& v : x.values) v = pick(-9, 9);
    for (double& v : w.values) v = pick(-9, 9);
    const auto r = conv(x, w, p);
    REQUIRE(r.error.empty());
    numbers expected(r.values.size(), 0.0);
    std::size_t at = 0;
    for (std::int64_t n = 0; n < 2; ++n)
      for (std::int64_t h = 0; h < x.shape[1]; ++h)
        for (std::int64_t c = 0; c < x.shape[2]; ++c)
          for (std::int64_t i = 0; i < x.shape[3]; ++i, ++at)
            for (std::int64_t u = 0; u < kh; ++u)
              for (std::int64_t v = 0; v < kw; ++v) {
                const std::int64_t row = h + p.pad.top - u * p.dilation.rows,
                                   column = c + p.pad.left - v * p.dilation.columns;
                if (row < 0 || column < 0 || row % p.stride.rows || column % p.stride.columns) continue;
                const std::int64_t oh = row / p.stride.rows, ow = column / p.stride.columns;
                if (oh >= r.shape[1] || ow >= r.shape[2]) continue;
                for (std::int64_t k = 0; k < per_out; ++k) {
                  const std::int64_t o = i / per_in * per_out + k;
                  expected[static_cast<std::size_t>(((n * r.shape[1] + oh) * r.shape[2] + ow) * r.shape[3] + o)] +=
                      x.values[at] * w.values[static_cast<std::size_t>(((o * per_in + i % per_in) * kh + u) * kw + v)];
                }
              }
    REQUIRE(r.values == expected);
  }
}
