// SPDX-License-Identifier: Apache-2.0
// Pooling and reductions whose results are known exactly: windows that hang over, padding that never wins, divisors,
// sums that leave the range of half precision.
// tkl-test: timeout=600
#include <tkl/pool.hpp>
#include <tkl/reduce.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f16, tkl::f32, tkl::graph, tkl::value;

namespace {

const std::vector<double> excluded = {7, 7.5, 8, 8.5, 9}, included = {2.52, 3.6, 4.8, 4.08, 3.24};

template <flavour F>
struct pools {
  static constexpr void build(graph& g) {
    const value five = g.input("five", f32, {1, 1, 5, 1});
    declare<F>(g, tkl::average_pool2d(five, {.kernel = {1, 2}, .ceil_mode = true, .count_include_pad = true}),
               "overhang");
    declare<F>(g, tkl::max_pool2d(five, {.kernel = {1, 2}, .ceil_mode = true}), "overhang max");
    const value four = g.input("four", f32, {1, 1, 4, 1});
    declare<F>(g, tkl::average_pool2d(four, {.kernel = 1, .stride = {1, 2}, .ceil_mode = true}), "beyond");
    declare<F>(g, tkl::max_pool2d(four, {.kernel = 1, .stride = {1, 2}, .ceil_mode = true}), "beyond max");
    const value negative = g.input("negative", f32, {1, 2, 2, 5});
    declare<F>(g, tkl::max_pool2d(negative, {.kernel = 2, .stride = 2, .pad = 1}), "padding");
    const value square = g.input("square", f32, {1, 5, 5, 1});
    declare<F>(g, tkl::slice(tkl::average_pool2d(square, {.kernel = 5, .stride = 1, .pad = 2}), 1, 0, 1), "excluded");
    declare<F>(g,
               tkl::slice(tkl::average_pool2d(square, {.kernel = 5, .stride = 1, .pad = 2, .count_include_pad = true}),
                          1, 0, 1),
               "included");
  }
};

/// Half precision: 4096 ones, and 65536 times 20.
template <flavour F>
struct half_averages {
  static constexpr void build(graph& g) {
    const value ones = g.input("ones", f16, {1, 64, 64, 1}), twenties = g.input("twenties", f16, {1, 256, 256, 1});
    const value a = tkl::global_average_pool(ones), b = tkl::global_average_pool(twenties);
    if (F == flavour::unfused) g.output(a, "ones"), g.output(b, "twenties");
    g.output(tkl::relu(a), "relu ones"), g.output(tkl::relu(b), "relu twenties");
  }
};

}  // namespace

TEST_CASE("pooling: overhanging windows, windows outside of the input, padding, divisors") {
  check_flavours<pools>({
      .given = {{"five", counting(5)}, {"four", counting(4)}, {"negative", repeated(20, -1)}, {"square", counting(25)}},
      .results = {{"overhang", {1.5, 3.5, 5}},
                  {"overhang max", {2, 4, 5}},
                  {"beyond", {1, 3}},
                  {"beyond max", {1, 3}},
                  {"padding", repeated(20, -1)},
                  {"excluded", excluded},
                  {"included", included}},
  });
}

TEST_CASE("averages of half precision: 4096 elements, and a sum beyond its range") {
  check_flavours<half_averages>({
      .given = {{"ones", repeated(64 * 64, 1)}, {"twenties", repeated(256 * 256, 20)}},
      .results = {{"ones", {1}}, {"twenties", {20}}, {"relu ones", {1}}, {"relu twenties", {20}}},
      .planned = false,
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the CPU alone
TEST_CASE("the same numbers with extents known when the program runs") {
  const auto average = [](std::vector<double> in, tkl::shape s, tkl::average_pool2d_params p) {
    tkl::tensor<float, tkl::nhwc<>> x(tkl::nhwc(s[0], s[1], s[2], s[3]));
    std::size_t i = 0;
    for (float& e : x) e = static_cast<float>(in[i++]);
    const tkl::shape o = tkl::pool2d_rule(s, p).result.out;
    tkl::tensor<float, tkl::nhwc<>> y(tkl::nhwc(o[0], o[1], o[2], o[3]));
    const std::string message = tkl::assign(y, tkl::average_pool2d(x, p)).message();
    CHECK(message == "");
    return std::vector<float>(y.begin(), y.end());
  };
  const auto largest = [](std::vector<double> in, tkl::shape s, tkl::max_pool2d_params p) {
    tkl::tensor<float, tkl::nhwc<>> x(tkl::nhwc(s[0], s[1], s[2], s[3]));
    std::size_t i = 0;
    for (float& e : x) e = static_cast<float>(in[i++]);
    const tkl::shape o = tkl::pool2d_rule(s, p).result.out;
    tkl::tensor<float, tkl::nhwc<>> y(tkl::nhwc(o[0], o[1], o[2], o[3]));
    const std::string message = tkl::assign(y, tkl::max_pool2d(x, p)).message();
    CHECK(message == "");
    return std::vector<float>(y.begin(), y.end());
  };
  CHECK(average(counting(5), {1, 1, 5, 1}, {.kernel = {1, 2}, .ceil_mode = true, .count_include_pad = true}) ==
        std::vector<float>{1.5f, 3.5f, 5});
  CHECK(average(counting(4), {1, 1, 4, 1}, {.kernel = 1, .stride = {1, 2}, .ceil_mode = true}) ==
        std::vector<float>{1, 3});
  CHECK(largest(counting(4), {1, 1, 4, 1}, {.kernel = 1, .stride = {1, 2}, .ceil_mode = true}) ==
        std::vector<float>{1, 3});
  CHECK(largest(repeated(4, -1), {1, 2, 2, 1}, {.kernel = 2, .stride = 2, .pad = 1}) == std::vector<float>(4, -1));
  const std::vector<float> without = average(counting(25), {1, 5, 5, 1}, {.kernel = 5, .stride = 1, .pad = 2});
  const std::vector<float> with =
      average(counting(25), {1, 5, 5, 1}, {.kernel = 5, .stride = 1, .pad = 2, .count_include_pad = true});
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(static_cast<double>(without[i]) == excluded[i]);
    CHECK(static_cast<double>(with[i]) == doctest::Approx(included[i]).epsilon(1e-6));
  }
}

TEST_CASE("padding as large as the kernel is refused with both numbers") {
  tkl::tensor<float, tkl::nhwc<>> x(tkl::nhwc(1, 1, 1, 1)), y(tkl::nhwc(1, 3, 3, 1));
  for (float& e : y) e = 777;
  const std::string average = tkl::assign(y, tkl::average_pool2d(x, {.kernel = 3, .stride = 3, .pad = 3})).message();
  const std::string largest = tkl::assign(y, tkl::max_pool2d(x, {.kernel = 3, .stride = 3, .pad = 3})).message();
  CHECK(average.find("pad") != std::string::npos);
  CHECK(average.find('3') != std::string::npos);
  CHECK(largest.find("pad") != std::string::npos);
  for (const float e : y) CHECK(e == 777);
}
#endif
