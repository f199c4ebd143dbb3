// SPDX-License-Identifier: Apache-2.0
// Convolutions whose results are known exactly: tails, groups, dilation, unequal padding, folded padding, half
// precision.
// tkl-test: timeout=600
#include <tkl/conv.hpp>
#include <tkl/reduce.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f16, tkl::f32, tkl::graph, tkl::value;
using enum tkl::memory_layout;

namespace {

/// x[c][h][w] = 100 c + 10 h + w.
std::vector<double> ramp(int channels, int rows, int columns) {
  std::vector<double> v;
  for (int c = 0; c < channels; ++c)
    for (int h = 0; h < rows; ++h)
      for (int w = 0; w < columns; ++w) v.push_back(100 * c + 10 * h + w);
  return v;
}
/// w[o][...] = o + 1.
std::vector<double> per_output(int outputs, int elements) {
  std::vector<double> v;
  for (int o = 0; o < outputs; ++o) v = joined(v, repeated(static_cast<std::size_t>(elements), o + 1));
  return v;
}

const std::vector<double> strided = {1266, 1926, 1962, 2169, 3294, 3348, 2529, 3834, 3888};
std::vector<double> strided_times(int outputs) {
  std::vector<double> v;
  for (int o = 1; o <= outputs; ++o)
    for (const double x : strided) v.push_back(o * x);
  return v;
}
const std::vector<double> dilated = {29, 33, 49, 33, 37, 49, 53, 79, 53, 57,  73, 79, 118,
                                     79, 85, 49, 53, 79, 53, 57, 69, 73, 109, 73, 77};

template <flavour F>
struct windows {
  static constexpr void build(graph& g) {
    const value picture = g.input("picture", f32, {1, 6, 6, 3}, nchw);
    declare<F>(g, tkl::conv2d(picture, g.weight("strided.w", {4, 3, 3, 3}), {.stride = 2, .pad = 1}), "strided", nchw);

    const value deep = g.input("deep", f32, {1, 5, 5, 4}, nchw);
    declare<F>(g,
               tkl::conv2d(deep, g.weight("dilated.w", {4, 1, 3, 3}), g.weight("dilated.b", {4}),
                           {.pad = 2, .dilation = 2, .groups = 4}),
               "dilated", nchw);

    const value square = g.input("square", f32, {1, 4, 4, 1});
    const value ones = g.weight("unequal.w", {1, 1, 5, 5});
    declare<F>(g, tkl::conv2d(square, ones, {.stride = 2, .pad = {1, 1, 2, 2}}), "unequal");
    declare<F>(g, tkl::conv2d(tkl::pad(square, {0, 1, 1, 0}, {0, 2, 2, 0}), ones, {.stride = 2}), "padded");

    const value seven = g.weight("seven.w", {1, 1, 1, 1});
    declare<F>(g, tkl::conv2d(g.input("five", f32, {1, 1, 5, 1}), seven, {.stride = {1, 2}, .pad = tkl::same}),
               "same five");
    declare<F>(g, tkl::conv2d(g.input("four", f32, {1, 4, 1, 1}), seven, {.stride = {2, 1}, .pad = tkl::same_lower}),
               "same four");
  }
};

template <flavour F>
struct channels {
  static constexpr void build(graph& g) {
    const value four = g.input("four", f32, {1, 1, 1, 4});
    declare<F>(g, tkl::conv2d(four, g.weight("grouped.w", {6, 2, 1, 1}), {.groups = 2}), "grouped");
    const value two = g.input("two", f32, {1, 1, 1, 2});
    declare<F>(g, tkl::conv2d(two, g.weight("multiplied.w", {4, 1, 1, 1}), {.groups = 2}), "multiplied");

    // 9 and 22 channels fill no vector and no panel.
    const value nine = g.input("nine", f32, {1, 1, 1, 9});
    const value wide = tkl::conv2d(nine, g.weight("wide.w", {22, 9, 1, 1}));
    declare<F>(g, wide, "wide");
    declare<F>(g, tkl::reduce_mean(wide, 3), "mean");
    declare<F>(g, tkl::reduce_max(wide, 3), "max");
    declare<F>(g, tkl::reduce_max(-wide, 3), "max of negatives");
    declare<F>(g, tkl::conv2d(wide, g.weight("again.w", {1, 22, 1, 1})), "again");
  }
};

/// Half precision; no fused flavour of its own, the result of either must be exact.
template <flavour F>
struct half_precision {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f16, {1, 6, 6, 1});
    const value y = tkl::conv2d(x, g.weight("w", {1, 1, 3, 3}, f16));
    if (F == flavour::unfused) g.output(y, "y");
    g.output(tkl::relu(y), "positive part");
  }
};

}  // namespace

TEST_CASE("windows: stride with tails, dilation per channel, unequal padding, kernels below the stride") {
  check_flavours<windows>({
      .given = {{"picture", ramp(3, 6, 6)},
                {"strided.w", per_output(4, 27)},
                {"deep", joined(joined(counting(25), counting(25)), joined(counting(25), counting(25)))},
                {"dilated.w", repeated(36, 1)},
                {"dilated.b", repeated(4, 1)},
                {"square", counting(16)},
                {"unequal.w", repeated(25, 1)},
                {"seven.w", {7}},
                {"five", counting(5)},
                {"four", counting(4)}},
      .results = {{"strided", strided_times(4)},
                  {"dilated", joined(joined(dilated, dilated), joined(dilated, dilated))},
                  {"unequal", {136, 108, 126, 99}},
                  {"padded", {136, 108, 126, 99}},
                  {"same five", {7, 21, 35}},
                  {"same four", {7, 21}}},
  });
}

TEST_CASE("channels: groups, multipliers, and channels beyond the last that are never seen") {
  std::vector<double> nines = counting(22), sum = repeated(1, 0);
  for (double& x : nines) x *= 9;
  for (const double x : nines) sum[0] += x;
  check_flavours<channels>({
      .given = {{"four", {1, 10, 100, 1000}},
                {"grouped.w", counting(12)},
                {"two", {10, 100}},
                {"multiplied.w", counting(4)},
                {"nine", repeated(9, 1)},
                {"wide.w", per_output(22, 9)},
                {"again.w", repeated(22, 1)}},
      .results = {{"grouped", {21, 43, 65, 8700, 10900, 13100}},
                  {"multiplied", {10, 20, 300, 400}},
                  {"wide", nines},
                  {"mean", {103.5}},
                  {"max", {198}},
                  {"max of negatives", {-9}},
                  {"again", sum}},
  });
}

TEST_CASE("half precision: intermediate sums that leave the range of f16") {
  const double s[] = {1, 0, -1, 0, 1, 0}, r[] = {0, -1, 0, 1};
  std::vector<double> x, y, positive;
  for (const double a : s)
    for (const double b : s) x.push_back(1000 * a * b);
  for (const double a : r)
    for (const double b : r) y.push_back(1000 * a * b), positive.push_back(a * b > 0 ? 1000 : 0);
  check_flavours<half_precision>({
      .given = {{"x", x}, {"w", repeated(9, 1)}},
      .results = {{"y", y}, {"positive part", positive}},
      .planned = false,
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the CPU alone
TEST_CASE("the same numbers with extents known when the program runs") {
  using image = tkl::tensor<float, tkl::nhwc<>>;
  using filter = tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>>;
  struct eager_case {
    const char* what;
    tkl::shape x, w;
    tkl::conv2d_params params;
    std::vector<double> in, weights, out;  // x and y as batch, channel, row, column
  };
  const std::vector<eager_case> cases = {
      {"strided",
       {1, 6, 6, 3},
       {4, 3, 3, 3},
       {.stride = 2, .pad = 1},
       ramp(3, 6, 6),
       per_output(4, 27),
       strided_times(4)},
      {"unequal",
       {1, 4, 4, 1},
       {1, 1, 5, 5},
       {.stride = 2, .pad = {1, 1, 2, 2}},
       counting(16),
       repeated(25, 1),
       {136, 108, 126, 99}},
      {"grouped",
       {1, 1, 1, 4},
       {6, 2, 1, 1},
       {.groups = 2},
       {1, 10, 100, 1000},
       counting(12),
       {21, 43, 65, 8700, 10900, 13100}},
      {"multiplied", {1, 1, 1, 2}, {4, 1, 1, 1}, {.groups = 2}, {10, 100}, counting(4), {10, 20, 300, 400}},
      {"same", {1, 1, 5, 1}, {1, 1, 1, 1}, {.stride = 2, .pad = tkl::same}, counting(5), {7}, {7, 21, 35}},
      {"same", {1, 1, 4, 1}, {1, 1, 1, 1}, {.stride = 2, .pad = tkl::same}, counting(4), {7}, {7, 21}},
  };
  for (const eager_case& k : cases) {
    CAPTURE(k.what);
    image x(tkl::nhwc(k.x[0], k.x[1], k.x[2], k.x[3]));
    filter w(tkl::row_major(k.w[0], k.w[1], k.w[2], k.w[3]));
    const auto channel_first = [](auto& t, const tkl::shape& s, auto each) {
      std::size_t i = 0;
      for (std::int64_t c = 0; c < s[3]; ++c)
        for (std::int64_t h = 0; h < s[1]; ++h)
          for (std::int64_t v = 0; v < s[2]; ++v) each(t(0, h, v, c), i++);
    };
    channel_first(x, k.x, [&](float& e, std::size_t i) { e = static_cast<float>(k.in[i]); });
    std::size_t i = 0;
    for (float& e : w) e = static_cast<float>(k.weights[i++]);
    const tkl::shape s = tkl::conv2d_rule(k.x, k.w, k.params).result.out;
    image y(tkl::nhwc(s[0], s[1], s[2], s[3])), z(tkl::nhwc(s[0], s[1], s[2], s[3]));
    for (float& e : y) e = std::numeric_limits<float>::quiet_NaN();
    const std::string plain = tkl::assign(y, tkl::conv2d(x, w, k.params)).message();
    const std::string made = tkl::assign(z, tkl::relu(tkl::conv2d(x, w, k.params) * 2.0f + 1.0f)).message();
    CHECK(plain == "");
    CHECK(made == "");
    channel_first(y, s, [&](float& e, std::size_t j) { CHECK(static_cast<double>(e) == k.out[j]); });
    channel_first(z, s, [&](float& e, std::size_t j) { CHECK(static_cast<double>(e) == after(k.out[j])); });
  }
}

TEST_CASE("half precision, and channels that fill no vector, with extents known when the program runs") {
  using filter = tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>>;
  const int s[] = {1, 0, -1, 0, 1, 0}, r[] = {0, -1, 0, 1};
  tkl::tensor<tkl::half, tkl::nhwc<>> x(tkl::nhwc(1, 6, 6, 1)), y(tkl::nhwc(1, 4, 4, 1));
  filter ones(tkl::row_major(1, 1, 3, 3));
  for (float& e : ones) e = 1;
  for (int h = 0; h < 6; ++h)
    for (int v = 0; v < 6; ++v) x(0, h, v, 0) = tkl::to_half(static_cast<float>(1000 * s[h] * s[v]));
  const std::string sums = tkl::assign(y, tkl::conv2d(x, ones, {})).message();
  CHECK(sums == "");
  for (int h = 0; h < 4; ++h)
    for (int v = 0; v < 4; ++v) CHECK(tkl::to_float(y(0, h, v, 0)) == static_cast<float>(1000 * r[h] * r[v]));

  // Behind the last channel lies NaN, so that a padded lane that counts is seen.
  tkl::tensor<float, tkl::nhwc<>> nine(tkl::nhwc(1, 1, 1, 9)), one(tkl::nhwc(1, 1, 1, 1));
  std::vector<float> lanes(64, std::numeric_limits<float>::quiet_NaN());
  const tkl::view wide(lanes.data(), tkl::nhwc(1, 1, 1, 22));
  filter w(tkl::row_major(22, 9, 1, 1));
  for (float& e : nine) e = 1;
  std::size_t i = 0;
  for (float& e : w) e = static_cast<float>(i++ / 9 + 1);
  const std::string product = tkl::assign(wide, tkl::conv2d(nine, w, {})).message();
  CHECK(product == "");
  for (std::size_t o = 0; o < 22; ++o) CHECK(lanes[o] == static_cast<float>(9 * (o + 1)));
  for (std::size_t o = 22; o < lanes.size(); ++o) CHECK(std::isnan(lanes[o]));
  const auto reduced = [&](auto reduction) {
    const std::string message = tkl::assign(one, reduction).message();
    CHECK(message == "");
    return one(0, 0, 0, 0);
  };
  CHECK(reduced(tkl::reduce_mean(wide, 3)) == 103.5f);
  CHECK(reduced(tkl::reduce_max(wide, 3)) == 198.0f);
  CHECK(reduced(tkl::reduce_min(wide, 3)) == 9.0f);
}

TEST_CASE("a strided 3x3 convolution at every width up to two vectors and one") {
  for (int width = 1; width <= 33; ++width) {
    CAPTURE(width);
    tkl::tensor<float, tkl::nhwc<>> x(tkl::nhwc(1, 6, width, 3)), y(tkl::nhwc(1, 3, (width + 1) / 2, 4));
    tkl::tensor<float, tkl::row_major<4, 3, 3, 3>> w;
    for (int h = 0; h < 6; ++h)
      for (int v = 0; v < width; ++v)
        for (int c = 0; c < 3; ++c) x(0, h, v, c) = static_cast<float>(100 * c + 10 * h + v);
    std::size_t i = 0;
    for (float& e : w) e = static_cast<float>(1 + i++ / 27);
    REQUIRE(tkl::assign(y, tkl::conv2d(x, w, {.stride = 2, .pad = 1})).ok());
    for (int h = 0; h < 3; ++h)
      for (int v = 0; v < (width + 1) / 2; ++v) {
        float sum = 0;
        for (int r = 2 * h - 1; r <= 2 * h + 1; ++r)
          for (int q = 2 * v - 1; q <= 2 * v + 1; ++q)
            if (r >= 0 && q >= 0 && r < 6 && q < width) sum += static_cast<float>(300 + 3 * (10 * r + q));
        for (int o = 0; o < 4; ++o) CHECK(y(0, h, v, o) == sum * static_cast<float>(o + 1));
      }
  }
}

TEST_CASE("a kernel beyond its padded input is refused with both extents, and nothing is written") {
  tkl::tensor<float, tkl::nhwc<>> x(tkl::nhwc(1, 4, 4, 1)), small(tkl::nhwc(1, 2, 2, 1)), y(tkl::nhwc(1, 1, 1, 1));
  tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>> w(tkl::row_major(1, 1, 3, 3));
  for (float& e : x) e = 1;
  for (float& e : small) e = 1;
  for (float& e : w) e = 1;
  y(0, 0, 0, 0) = 777;
  const std::string plain = tkl::assign(y, tkl::conv2d(small, w, {})).message();
  const std::string dilated_kernel = tkl::assign(y, tkl::conv2d(x, w, {.dilation = 2})).message();
  CHECK(plain ==
        "conv2d: axis 1 (rows): the kernel does not fit: it covers 3 (kernel 3, dilation 1), the padded input has 2 (0 "
        "+ 2 + 0)");
  CHECK(dilated_kernel ==
        "conv2d: axis 1 (rows): the kernel does not fit: it covers 5 (kernel 3, dilation 2), the padded input has 4 (0 "
        "+ 4 + 0)");
  CHECK(y(0, 0, 0, 0) == 777);
}

TEST_CASE("channels that groups do not divide are refused by name") {
  tkl::tensor<float, tkl::nhwc<>> four(tkl::nhwc(1, 1, 1, 4)), six(tkl::nhwc(1, 1, 1, 6)), y(tkl::nhwc(1, 1, 1, 6)),
      z(tkl::nhwc(1, 1, 1, 8));
  using filter = tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>>;
  filter outputs(tkl::row_major(6, 1, 1, 1)), inputs(tkl::row_major(8, 1, 1, 1));
  y(0, 0, 0, 0) = 777;
  CHECK(std::string(tkl::assign(y, tkl::conv2d(four, outputs, {.groups = 4})).message())
            .find("6 output channels, not a multiple of groups 4") != std::string::npos);
  CHECK(std::string(tkl::assign(z, tkl::conv2d(six, inputs, {.groups = 4})).message())
            .find("6 channels, not a multiple of groups 4") != std::string::npos);
  CHECK(y(0, 0, 0, 0) == 777);
}
#endif
