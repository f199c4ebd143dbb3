// SPDX-License-Identifier: Apache-2.0
// Elementary functions against double precision over all of f32, and their edges in every lane.
//
// The bounds are those of docs/numerics.md. TKL_ULP_STRIDE sets the distance, in floats, between the arguments of a
// sweep.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tkl/expr/functions.hpp>

#include "support/level_machine.hpp"
#include "support/ulp.hpp"

namespace {

using tkl::test::machine;
using tkl::test::ulp_error;
using value = machine::value;
using math = tkl::math<value>;
constexpr int width = machine::width;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::uint32_t stride() {
  if (const char* text = std::getenv("TKL_ULP_STRIDE")) return static_cast<std::uint32_t>(std::atoi(text));
#if defined(__AVX512F__) || defined(__aarch64__)
  return 65521;  // these levels often run in an emulator
#else
  return 257;
#endif
}

struct worst {
  double error = 0;
  float at = 0;
};

/// Largest error of f over every stride-th float in [low, high].
template <class F, class G>
worst sweep(F f, G exact, float low = -infinity, float high = infinity) {
  worst w;
  const std::uint32_t step = stride();
  std::uint64_t bits = 0;
  while (bits <= 0xffffffffu) {
    alignas(64) float x[width], y[width];
    for (int i = 0; i < width; ++i, bits += step) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    machine::store(y, f(machine::load(x)));
    for (int i = 0; i < width; ++i) {
      if (!(x[i] >= low && x[i] <= high)) continue;
      const double error = ulp_error(y[i], exact(static_cast<double>(x[i])));
      if (error > w.error) w = {error, x[i]};
    }
  }
  return w;
}

/// f(x) in every lane; all lanes must agree.
template <class F>
float in_lanes(F f, float x) {
  const value y = f(value(x));
  for (int i = 1; i < width; ++i)
    CHECK(std::bit_cast<std::uint32_t>(machine::lane(y, i)) == std::bit_cast<std::uint32_t>(machine::lane(y, 0)));
  return machine::lane(y, 0);
}

double exact_sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

#define TKL_CHECK_SWEEP(bound, ...)     \
  do {                                  \
    const worst w = sweep(__VA_ARGS__); \
    INFO("worst at " << w.at);          \
    MESSAGE("error " << w.error);       \
    CHECK(w.error <= bound);            \
  } while (false)

}  // namespace

TEST_CASE("exp") {
  TKL_CHECK_SWEEP(
      1.0, [](value x) { return math::exp(x); }, [](double x) { return std::exp(x); });
}

TEST_CASE("exp of what is not positive") {
  TKL_CHECK_SWEEP(
      1.0, [](value x) { return math::exp_nonpositive(x); }, [](double x) { return std::exp(x); }, -infinity, 0.0f);
}

TEST_CASE("log") {
  TKL_CHECK_SWEEP(
      1.0, [](value x) { return math::log(x); }, [](double x) { return std::log(x); });
}

TEST_CASE("log1p") {
  TKL_CHECK_SWEEP(
      2.0, [](value x) { return math::log1p(x); }, [](double x) { return std::log1p(x); });
}

TEST_CASE("expm1") {
  TKL_CHECK_SWEEP(
      2.0, [](value x) { return math::expm1(x); }, [](double x) { return std::expm1(x); });
}

TEST_CASE("tanh") {
  TKL_CHECK_SWEEP(
      3.0, [](value x) { return math::tanh(x); }, [](double x) { return std::tanh(x); });
}

TEST_CASE("erf") {
  TKL_CHECK_SWEEP(
      2.0, [](value x) { return math::erf(x); }, [](double x) { return std::erf(x); });
}

TEST_CASE("sigmoid") {
  TKL_CHECK_SWEEP(
      3.0, [](value x) { return math::sigmoid(x); }, exact_sigmoid);
}

TEST_CASE("sqrt, floor and round are exact") {
  TKL_CHECK_SWEEP(
      0.5, [](value x) { return math::sqrt(x); }, [](double x) { return std::sqrt(x); });
  TKL_CHECK_SWEEP(
      0.0, [](value x) { return math::floor(x); }, [](double x) { return std::floor(x); });
  TKL_CHECK_SWEEP(
      0.0, [](value x) { return math::round(x); }, [](double x) { return std::nearbyint(x); });
}

TEST_CASE("rsqrt") {
  TKL_CHECK_SWEEP(
      1.5, [](value x) { return tkl::fn::rsqrt::call(x); }, [](double x) { return 1 / std::sqrt(x); });
}

TEST_CASE("edges of the exponential functions") {
  auto exp = [](value x) { return math::exp(x); };
  auto exp_nonpositive = [](value x) { return math::exp_nonpositive(x); };
  auto sigmoid = [](value x) { return math::sigmoid(x); };
  // Subnormal results are kept.
  for (float x : {-87.0f, -87.5f, -88.0f, -88.1f, -88.5f, -95.0f, -103.0f, -103.9f, -104.0f}) {
    CAPTURE(x);
    CHECK(ulp_error(in_lanes(exp, x), std::exp(static_cast<double>(x))) <= 1);
    CHECK(ulp_error(in_lanes(exp_nonpositive, x), std::exp(static_cast<double>(x))) <= 1);
  }
  CHECK(in_lanes(exp, -88.5f) == doctest::Approx(3.6723e-39).epsilon(1e-5));
  CHECK(in_lanes(exp, -infinity) == 0);
  CHECK(in_lanes(exp_nonpositive, -infinity) == 0);
  CHECK(in_lanes(exp, 0.0f) == 1);
  CHECK(in_lanes(exp, -0.0f) == 1);
  CHECK(in_lanes(exp_nonpositive, 0.0f) == 1);
  CHECK(in_lanes(exp, 88.72283f) < infinity);
  CHECK(in_lanes(exp, 88.723f) == infinity);
  CHECK(in_lanes(exp, -103.98f) == 0);
  CHECK(in_lanes(exp, infinity) == infinity);
  CHECK(std::isnan(in_lanes(exp, not_a_number)));
  CHECK(std::isnan(in_lanes(exp_nonpositive, not_a_number)));

  CHECK(in_lanes(sigmoid, -110.0f) == 0);
  CHECK(in_lanes(sigmoid, -100.0f) == doctest::Approx(3.72e-44).epsilon(0.02));
  CHECK(in_lanes(sigmoid, -90.0f) == doctest::Approx(8.194e-40).epsilon(1e-4));
  CHECK(in_lanes(sigmoid, 0.0f) == 0.5f);
  CHECK(in_lanes(sigmoid, 90.0f) == 1);
  CHECK(in_lanes(sigmoid, 3212.0f) == 1);
  CHECK(in_lanes(sigmoid, infinity) == 1);
  CHECK(in_lanes(sigmoid, -infinity) == 0);
  CHECK(std::isnan(in_lanes(sigmoid, not_a_number)));

  auto expm1 = [](value x) { return math::expm1(x); };
  CHECK(in_lanes(expm1, -infinity) == -1);
  CHECK(in_lanes(expm1, infinity) == infinity);
  CHECK(in_lanes(expm1, 0.0f) == 0);
  CHECK(in_lanes(expm1, 1e-42f) == 1e-42f);
  CHECK(std::isnan(in_lanes(expm1, not_a_number)));
}

TEST_CASE("edges of the logarithms") {
  auto log = [](value x) { return math::log(x); };
  CHECK(in_lanes(log, 0.0f) == -infinity);
  CHECK(in_lanes(log, -0.0f) == -infinity);
  CHECK(in_lanes(log, 1.0f) == 0);
  CHECK(in_lanes(log, infinity) == infinity);
  CHECK(std::isnan(in_lanes(log, -1.0f)));
  CHECK(std::isnan(in_lanes(log, -infinity)));
  CHECK(std::isnan(in_lanes(log, not_a_number)));
  CHECK(ulp_error(in_lanes(log, 1e-45f), std::log(static_cast<double>(1e-45f))) <= 1);
  auto log1p = [](value x) { return math::log1p(x); };
  CHECK(in_lanes(log1p, -1.0f) == -infinity);
  CHECK(in_lanes(log1p, 0.0f) == 0);
  CHECK(in_lanes(log1p, 1e-42f) == 1e-42f);
  CHECK(in_lanes(log1p, infinity) == infinity);
  CHECK(std::isnan(in_lanes(log1p, -1.5f)));
  CHECK(std::isnan(in_lanes(log1p, not_a_number)));
}

TEST_CASE("tanh and erf are odd, reach one, and keep small arguments") {
  auto tanh = [](value x) { return math::tanh(x); };
  auto erf = [](value x) { return math::erf(x); };
  for (float x : {0.0f, 1e-42f, 1e-20f, 0.1f, 0.921875f, 1.0f, 3.9f, 5.0f, 10.0f, 1e30f, infinity}) {
    CAPTURE(x);
    CHECK(in_lanes(tanh, -x) == -in_lanes(tanh, x));
    CHECK(in_lanes(erf, -x) == -in_lanes(erf, x));
    CHECK(in_lanes(tanh, x) <= 1);
    CHECK(in_lanes(erf, x) <= 1);
  }
  CHECK_FALSE(std::signbit(in_lanes(tanh, 0.0f)));
  CHECK(std::signbit(in_lanes(tanh, -0.0f)));
  CHECK(std::signbit(in_lanes(erf, -0.0f)));
  CHECK(in_lanes(tanh, 1e-42f) == 1e-42f);
  CHECK(in_lanes(tanh, infinity) == 1);
  CHECK(in_lanes(erf, 3.92f) == 1);
  CHECK(in_lanes(erf, -infinity) == -1);
  CHECK(std::isnan(in_lanes(tanh, not_a_number)));
  CHECK(std::isnan(in_lanes(erf, not_a_number)));
}
