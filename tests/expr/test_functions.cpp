// SPDX-License-Identifier: Apache-2.0
// One row for every function of function_list: its definition in double, and its error. Each is evaluated over vectors
// of every tail length whose operands end at guard pages.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tkl/algo/map.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <utility>
#include <vector>

#include "support/guarded.hpp"
#include "support/level_machine.hpp"
#include "support/ulp.hpp"

namespace {

using tkl::test::machine;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

using definition = double (*)(double a, double b, double c);

/// Which operands pass a NaN on to the result: bit i for operand i. What is missing is chosen away or compared.
struct row {
  std::string_view name;
  unsigned nan_passes = 0;
  double ulps = 0;  // error in units in the last place of `magnitude`
  definition exact = nullptr;
  definition magnitude = nullptr;  // null: the result's own
};

double maximum(double a, double b) {
  return a != a || b != b ? a + b : a > b ? a : b;
}
double minimum(double a, double b) {
  return a != a || b != b ? a + b : a < b ? a : b;
}
double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double softplus(double x) {
  return maximum(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}
double elu(double x, double alpha) {
  return x < 0 ? alpha * std::expm1(x) : x;
}
double first(double a, double, double) {
  return a;
}
/// For x times a factor that may be subnormal: one unit of the smallest factor.
double scaled(double x, double result) {
  return std::fmax(std::fabs(result), std::fabs(x) * 0x1p-126);
}

// clang-format takes the braces of these functions for scopes.
// clang-format off
#define TKL_F [](double a, [[maybe_unused]] double b, [[maybe_unused]] double c) -> double
const row rows[] = {
    {"add", 3, 0.5, TKL_F { return a + b; }},
    {"sub", 3, 0.5, TKL_F { return a - b; }},
    {"mul", 3, 0.5, TKL_F { return a * b; }},
    {"div", 3, 0.5, TKL_F { return a / b; }},
    {"affine", 7, 1, TKL_F { return a * b + c; }, TKL_F { return std::fabs(a * b) + std::fabs(c); }},
    {"min", 3, 0, TKL_F { return minimum(a, b); }},
    {"max", 3, 0, TKL_F { return maximum(a, b); }},
    {"neg", 1, 0, TKL_F { return -a; }},
    {"abs", 1, 0, TKL_F { return std::fabs(a); }},
    {"square", 1, 0.5, TKL_F { return a * a; }},
    {"sqrt", 1, 0.5, TKL_F { return std::sqrt(a); }},
    {"rsqrt", 1, 1.5, TKL_F { return 1 / std::sqrt(a); }},
    {"reciprocal", 1, 0.5, TKL_F { return 1 / a; }},
    {"exp", 1, 1, TKL_F { return std::exp(a); }},
    {"log", 1, 1, TKL_F { return std::log(a); }},
    {"pow", 0, 1, TKL_F { return std::pow(a, b); }},
    {"floor", 1, 0, TKL_F { return std::floor(a); }},
    {"round", 1, 0, TKL_F { return std::nearbyint(a); }},
    {"clip", 7, 0, TKL_F { return minimum(maximum(a, b), c); }},
    {"relu", 1, 0, TKL_F { return maximum(a, 0); }},
    {"relu6", 1, 0, TKL_F { return minimum(maximum(a, 0), 6); }},
    {"leaky_relu", 1, 0.5, TKL_F { return a < 0 ? a * b : a; }},
    {"prelu", 1, 0.5, TKL_F { return a < 0 ? a * b : a; }},
    {"elu", 1, 3, TKL_F { return elu(a, b); }},
    {"selu", 1, 4, TKL_F { return 1.0507009873554804934 * elu(a, 1.6732632423543772848); }},
    {"sigmoid", 1, 3, TKL_F { return sigmoid(a); }},
    {"silu", 1, 4, TKL_F { return a * sigmoid(a); }, TKL_F { return scaled(a, a * sigmoid(a)); }},
    {"hard_sigmoid", 7, 1, TKL_F { return minimum(maximum(a * b + c, 0), 1); }, TKL_F { return std::fabs(a * b) + std::fabs(c); }},
    {"hard_swish", 1, 3, TKL_F { return a * minimum(maximum(a + 3, 0), 6) / 6; }, TKL_F { return a < 0 ? 3 * a : a; }},
    {"tanh", 1, 3, TKL_F { return std::tanh(a); }},
    {"erf", 1, 2, TKL_F { return std::erf(a); }},
    {"gelu", 1, 2, TKL_F { return a * (0.5 * std::erfc(-a * std::sqrt(0.5))); }, first},
    {"gelu_tanh", 1, 4, TKL_F { return a * sigmoid(2 * std::sqrt(2 / std::acos(-1.0)) * (a + 0.044715 * a * a * a)); }, first},
    {"softplus", 1, 3, TKL_F { return softplus(a); }},
    {"mish", 1, 6, TKL_F { return a * std::tanh(softplus(a)); }, TKL_F { return scaled(a, a * std::tanh(softplus(a))); }},
    {"less", 0, 0, TKL_F { return a < b ? 1 : 0; }},
    {"less_equal", 0, 0, TKL_F { return a <= b ? 1 : 0; }},
    {"equal", 0, 0, TKL_F { return a == b ? 1 : 0; }},
    {"not_equal", 0, 0, TKL_F { return a != b ? 1 : 0; }},
    {"greater", 0, 0, TKL_F { return a > b ? 1 : 0; }},
    {"greater_equal", 0, 0, TKL_F { return a >= b ? 1 : 0; }},
    {"select", 0, 0, TKL_F { return a != 0 ? b : c; }},
};
#undef TKL_F
// clang-format on

const row* find(std::string_view name) {
  for (const row& r : rows)
    if (r.name == name) return &r;
  return nullptr;
}

const std::vector<float> samples = {
    0.0f,    -0.0f,      0.5f,        -0.5f,    1.0f,      -1.0f,  1.5f,    2.5f,   -2.5f,   2.699f,
    3.0f,    -3.0f,      3.5f,        5.999f,   6.0f,      7.25f,  -7.25f,  10.5f,  11.0f,   12.0f,
    -13.24f, 15.5f,      20.0f,       21.66f,   -75.0f,    88.8f,  -88.5f,  100.0f, -100.0f, -110.0f,
    3212.0f, 1e4f,       -1e4f,       1e-20f,   -1e-20f,   1e-42f, -1e-42f, 1e20f,  -1e20f,  3e38f,
    -3e38f,  8388609.0f, -8388607.5f, infinity, -infinity, 0.1f,   -0.3f,   0.9f,   -1.1f};

/// F over n elements of each operand through the map algorithm.
template <class F>
std::vector<float> evaluate(const std::vector<float> (&operand)[3]) {
  const std::size_t n = operand[0].size();
  tkl::test::guarded<float> a(n), b(n), c(n), y(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = operand[0][i], b[i] = operand[1][i], c[i] = operand[2][i];
  const auto leaf = [](const tkl::test::guarded<float>& t) {
    return tkl::element_node<float>{{}, t.data(), {0, 0, 0}};
  };
  const auto n64 = static_cast<std::int64_t>(n);
  const tkl::map_problem<float> p{y.data(), {1, 1, 1, n64}, {n64, n64, n64, 1}};
  if constexpr (F::arity == 1) {
    tkl::map<machine>(p, tkl::make_apply<F>(leaf(a)), tkl::serial{});
  } else if constexpr (F::arity == 2) {
    tkl::map<machine>(p, tkl::make_apply<F>(leaf(a), leaf(b)), tkl::serial{});
  } else {
    tkl::map<machine>(p, tkl::make_apply<F>(leaf(a), leaf(b), leaf(c)), tkl::serial{});
  }
  return {y.begin(), y.end()};
}

double error_of(const row& r, float got, double a, double b, double c) {
  const double exact = r.exact(a, b, c);
  const double plain = tkl::test::ulp_error(got, exact);
  if (r.magnitude == nullptr || plain <= r.ulps) return plain;
  const double scale = std::fabs(r.magnitude(a, b, c));
  if (scale > static_cast<double>(std::numeric_limits<float>::max())) return 0;  // without fma a * b may be infinite
  if (!std::isfinite(scale) || !std::isfinite(exact) || !std::isfinite(got)) return plain;
  // As if the result were as large as the magnitude: the same absolute error in larger units.
  return tkl::test::ulp_error(static_cast<float>(scale), scale + (static_cast<double>(got) - exact)) - 0.5;
}

template <class F>
void check_function() {
  const row* r = find(F::name);
  CAPTURE(std::string(F::name));
  REQUIRE(r != nullptr);
  const std::size_t count = samples.size();
  // Every pair of the first two operands, the third takes turns; one operand alone twice, enough for the longest tail.
  std::vector<float> operand[3];
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < (F::arity > 1 ? count : 2); ++j) {
      operand[0].push_back(samples[i]);
      operand[1].push_back(samples[j]);
      operand[2].push_back(samples[(i * 5 + j * 11) % count]);
    }
  REQUIRE(operand[0].size() >= 2 * (2 * machine::width + 1));
  const std::vector<float> whole = evaluate<F>(operand);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double a = static_cast<double>(operand[0][i]), b = static_cast<double>(operand[1][i]),
                 c = static_cast<double>(operand[2][i]);
    const double error = error_of(*r, whole[i], a, b, c);
    if (error <= r->ulps) continue;
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(c);
    CAPTURE(whole[i]);
    CAPTURE(r->exact(a, b, c));
    CHECK(error <= r->ulps);
  }
  // The same values in every tail, and NaN in each lane.
  for (int n = 1; n <= 2 * machine::width + 1; ++n) {
    std::vector<float> part[3];
    for (int k = 0; k < 3; ++k) part[k].assign(operand[k].begin() + n, operand[k].begin() + 2 * n);
    const std::vector<float> tail = evaluate<F>(part);
    bool same = true;
    for (int i = 0; i < n; ++i) {
      const float expected = whole[static_cast<std::size_t>(n + i)], got = tail[static_cast<std::size_t>(i)];
      same = same && (got == expected || (got != got && expected != expected));
    }
    CHECK(same);
    for (int k = 0; k < F::arity; ++k) {
      if (!(r->nan_passes >> k & 1u)) continue;
      std::vector<float> bad[3] = {part[0], part[1], part[2]};
      bad[k].assign(bad[k].size(), not_a_number);
      bool all = true;
      for (float v : evaluate<F>(bad)) all = all && v != v;
      CHECK(all);
    }
  }
}

template <std::size_t... I>
void check_all(std::index_sequence<I...>) {
  (check_function<tkl::function_list::at<static_cast<int>(I)>>(), ...);
}

template <class F>
float one(float a, float b = 0, float c = 0) {
  const std::vector<float> operand[3] = {{a}, {b}, {c}};
  return evaluate<F>(operand)[0];
}

}  // namespace

TEST_CASE("every function has a row and keeps it") {
  check_all(std::make_index_sequence<static_cast<std::size_t>(tkl::function_list::size)>{});
}

TEST_CASE("NaN propagates through max, min, clip and relu in any order") {
  for (int n = 1; n <= 40; ++n) {
    const auto size = static_cast<std::size_t>(n);
    const std::vector<float> nans(size, not_a_number), ones(size, 1.0f), zeros(size, 0.0f), sixes(size, 6.0f);
    const std::vector<float> first[3] = {nans, ones, zeros}, second[3] = {ones, nans, zeros},
                             clipped[3] = {nans, zeros, sixes};
    for (float v : evaluate<tkl::fn::max>(first)) CHECK(std::isnan(v));
    for (float v : evaluate<tkl::fn::max>(second)) CHECK(std::isnan(v));
    for (float v : evaluate<tkl::fn::min>(first)) CHECK(std::isnan(v));
    for (float v : evaluate<tkl::fn::min>(second)) CHECK(std::isnan(v));
    for (float v : evaluate<tkl::fn::clip>(clipped)) CHECK(std::isnan(v));
    for (float v : evaluate<tkl::fn::relu>(first)) CHECK(std::isnan(v));
  }
}

TEST_CASE("published values") {
  using doctest::Approx;
  CHECK(one<tkl::fn::gelu>(2.699f) == Approx(2.6896143).epsilon(1e-6));
  CHECK(one<tkl::fn::gelu>(1.0f) == Approx(0.8413447).epsilon(1e-6));
  CHECK(one<tkl::fn::gelu_tanh>(2.699f) == Approx(2.6900875).epsilon(1e-6));
  CHECK(one<tkl::fn::gelu_tanh>(1.0f) == Approx(0.8411920).epsilon(1e-6));
  for (float x : {10.5f, 15.5f, 21.66f, 1e4f, 1e30f}) CHECK(one<tkl::fn::gelu_tanh>(x) == x);
  for (float x : {-13.24f, -1e4f, -1e30f}) CHECK(std::fabs(one<tkl::fn::gelu_tanh>(x)) < 1e-37f);
  CHECK(one<tkl::fn::softplus>(100.0f) == 100.0f);
  CHECK(one<tkl::fn::softplus>(20.0f) == 20.0f);
  CHECK(one<tkl::fn::softplus>(-75.0f) == Approx(2.678637e-33).epsilon(1e-6));
  CHECK(one<tkl::fn::mish>(100.0f) == 100.0f);
  CHECK(one<tkl::fn::sigmoid>(3212.0f) == 1.0f);
  CHECK(one<tkl::fn::sigmoid>(-110.0f) == 0.0f);
  CHECK(one<tkl::fn::pow>(-2.0f, 3.0f) == -8.0f);
  CHECK(one<tkl::fn::pow>(0.0f, 0.0f) == 1.0f);
  CHECK(std::isnan(one<tkl::fn::pow>(-2.0f, 0.5f)));
  CHECK(one<tkl::fn::pow>(1.0f, not_a_number) == 1.0f);
  CHECK(one<tkl::fn::pow>(not_a_number, 0.0f) == 1.0f);
  CHECK(one<tkl::fn::select>(not_a_number, 1.0f, 2.0f) == 1.0f);
  CHECK(one<tkl::fn::select>(0.0f, not_a_number, 2.0f) == 2.0f);
  CHECK(one<tkl::fn::less>(not_a_number, 1.0f) == 0.0f);
  CHECK(one<tkl::fn::not_equal>(not_a_number, not_a_number) == 1.0f);
}
