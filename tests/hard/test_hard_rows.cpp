// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisation whose results are known exactly: rows of -infinity but for one, cancellation, half
// precision.
// tkl-test: timeout=600
#include <tkl/layernorm.hpp>
#include <tkl/reduce.hpp>
#include <tkl/softmax.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f16, tkl::f32, tkl::graph, tkl::value;

namespace {

template <flavour F>
struct softmaxes {
  static constexpr void build(graph& g) {
    declare<F>(g, tkl::softmax(g.input("one finite", f32, {64, 64})), "one finite");
    declare<F>(g, tkl::softmax(g.input("minus infinite", f32, {1, 3})), "minus infinite");
    declare<F>(g, tkl::softmax(g.input("with NaN", f32, {1, 3})), "with NaN");
    declare<F>(g, tkl::softmax(g.input("plus infinite", f32, {1, 2})), "plus infinite");
    const value zeros = g.input("zeros", f32, {2, 3, 4});
    declare<F>(g, tkl::softmax(zeros), "last axis");
    declare<F>(g, tkl::transpose(tkl::softmax(tkl::transpose(zeros, {0, 2, 1})), {0, 2, 1}), "middle axis");
    declare<F>(g, tkl::reshape(tkl::softmax(tkl::reshape(zeros, {2, 12})), {2, 3, 4}), "both axes");
  }
};

template <flavour F>
struct norms {
  static constexpr void build(graph& g) {
    declare<F>(g, tkl::layer_norm(g.input("large", f32, {1, 4})), "large");
    declare<F>(g, tkl::layer_norm(g.input("larger", f32, {1, 4})), "larger");
    declare<F>(g, tkl::layer_norm(g.input("near", f32, {1, 16})), "near");
    // Root mean square: squares of 300 leave the range of f16, so the model says that they are f32.
    const value x = g.input("rms", f16, {1, 4}), wide = tkl::cast(x, f32);
    declare<F>(g, wide * tkl::rsqrt(tkl::reduce_mean(wide * wide, 1) + 1e-5), "rms");
    // Squares of 1e20 leave the range of f32, so the model divides by the row's largest element first.
    const value huge = g.input("huge", f32, {1, 4}), part = huge / tkl::reduce_max(tkl::abs(huge), 1);
    declare<F>(g, part * tkl::rsqrt(tkl::reduce_mean(part * part, 1)), "rms of huge");
    declare<F>(g, tkl::layer_norm(huge), "huge");
    const value alternating = g.input("alternating", f16, {1, 4});
    const value y = tkl::layer_norm(alternating);
    if (F == flavour::unfused) g.output(y, "alternating");
    g.output(tkl::cast(y, f32) * 2.0 + 1.0, "twice alternating plus one");
  }
};

/// fp32(10000 + i * 0.001): the reference is the definition in double precision of those very numbers.
std::vector<double> near_values() {
  std::vector<double> v;
  for (int i = 0; i < 16; ++i) v.push_back(static_cast<double>(static_cast<float>(10000 + i * 0.001)));
  return v;
}
std::vector<double> normalised(const std::vector<double>& x, double eps) {
  double mean = 0, variance = 0;
  for (const double v : x) mean += (v - x[0]) / static_cast<double>(x.size());
  for (const double v : x) variance += (v - x[0] - mean) * (v - x[0] - mean) / static_cast<double>(x.size());
  std::vector<double> y;
  for (const double v : x) y.push_back((v - x[0] - mean) / std::sqrt(variance + eps));
  return y;
}
std::vector<double> one_finite() {
  std::vector<double> v(64 * 64, -infinite);
  for (std::size_t i = 0; i < 64; ++i) v[i * 65] = 0;
  return v;
}
std::vector<double> identity() {
  std::vector<double> v(64 * 64, 0);
  for (std::size_t i = 0; i < 64; ++i) v[i * 65] = 1;
  return v;
}
const std::vector<double> four_steps = {-1.3416354, -0.4472118, 0.4472118, 1.3416354};

}  // namespace

TEST_CASE("softmax: one finite score, none, NaN, infinity; the axes") {
  check_flavours<softmaxes>({
      .given = {{"one finite", one_finite()},
                {"minus infinite", repeated(3, -infinite)},
                {"with NaN", {0, not_a_number, 1}},
                {"plus infinite", {infinite, 0}},
                {"zeros", repeated(24, 0)}},
      .results = {{"one finite", identity()},
                  {"minus infinite", repeated(3, not_a_number)},
                  {"with NaN", repeated(3, not_a_number)},
                  {"plus infinite", repeated(2, not_a_number)},
                  {"last axis", repeated(24, 1.0 / 4)},
                  {"middle axis", repeated(24, 1.0 / 3)},
                  {"both axes", repeated(24, 1.0 / 12)}},
  });
}

TEST_CASE("layer norm of numbers whose squares cancel, norms of half precision") {
  const std::vector<double> near = normalised(near_values(), 1e-5);
  CHECK(near.front() == doctest::Approx(-1.3313334).epsilon(1e-6));
  CHECK(near.back() == doctest::Approx(1.3313334).epsilon(1e-6));
  check_flavours<norms>({
      .given = {{"large", counting(4, 40000)},
                {"larger", counting(4, 80000)},
                {"near", near_values()},
                {"rms", repeated(4, 300)},
                {"huge", repeated(4, 1e20)},
                {"alternating", {300, -300, 300, -300}}},
      .results = {{"large", four_steps},
                  {"larger", four_steps},
                  {"near", near},
                  {"rms", {1.0000000001, 1.0000000001, 1.0000000001, 1.0000000001}},
                  {"rms of huge", repeated(4, 1.0000000001)},
                  {"huge", repeated(4, 0)},
                  {"alternating", {1, -1, 1, -1}},
                  {"twice alternating plus one", {3, -1, 3, -1}}},
      .planned = false,
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the CPU alone
TEST_CASE("an axis that is not the last is refused, never taken for another") {
  tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn>> x(tkl::row_major(2, 3, 4)),
      y(tkl::row_major(2, 3, 4));
  const std::string message = tkl::assign(y, tkl::softmax(x, 1)).message();
  CHECK(message.find("axis 1 is not the last of shape") != std::string::npos);
}

TEST_CASE("the same numbers with extents known when the program runs") {
  using matrix = tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn>>;
  const auto run = [](const std::vector<double>& in, std::int64_t rows, std::int64_t columns, auto op) {
    matrix x(tkl::row_major(rows, columns)), y(tkl::row_major(rows, columns));
    std::size_t i = 0;
    for (float& e : x) e = static_cast<float>(in[i++]);
    const std::string message = op(y, x).message();
    CHECK(message == "");
    return std::vector<double>(y.begin(), y.end());
  };
  const auto softmax = [](auto& y, auto& x) { return tkl::assign(y, tkl::softmax(x)); };
  const auto norm = [](auto& y, auto& x) { return tkl::assign(y, tkl::layer_norm(x, {.eps = 1e-5})); };
  CHECK(run(one_finite(), 64, 64, softmax) == identity());
  for (const std::vector<double>& row :
       {repeated(3, -infinite), std::vector<double>{0, not_a_number, 1}, std::vector<double>{infinite, 0}})
    for (const double v : run(row, 1, static_cast<std::int64_t>(row.size()), softmax)) CHECK(std::isnan(v));
  for (const double start : {40000.0, 80000.0}) {
    const std::vector<double> y = run(counting(4, start), 1, 4, norm);
    for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == doctest::Approx(four_steps[i]).epsilon(1e-6));
  }
  for (const double v : run(repeated(4, 1e20), 1, 4, norm)) CHECK(v == 0);
  const std::vector<double> near = run(near_values(), 1, 16, norm), want = normalised(near_values(), 1e-5);
  for (std::size_t i = 0; i < 16; ++i) CHECK(near[i] == doctest::Approx(want[i]).epsilon(1e-5));
}
#endif
