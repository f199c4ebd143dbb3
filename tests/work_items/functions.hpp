// SPDX-License-Identifier: Apache-2.0
// Every function of function_list on a device, with ordinary and with special operands, against its definition in
// double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Subnormal numbers are left out: OpenCL lets a device flush them.
const std::vector<float> samples = {0.0f,   0.5f,  -0.5f,  1.0f,    -1.0f,    1.5f,      2.5f,    -2.5f,        2.699f,
                                    3.0f,   -3.0f, 3.5f,   5.999f,  6.0f,     7.25f,     -7.25f,  10.5f,        -13.24f,
                                    20.0f,  21.7f, -75.0f, 80.0f,   -80.0f,   100.0f,    -100.0f, 1e4f,         -1e4f,
                                    1e-20f, 1e20f, -1e20f, 8388609, infinity, -infinity, 0.1f,    not_a_number, -0.3f};

/// Values that are compared: units in the last place that OpenCL 1.2 grants the functions behind them, of the largest
/// number that takes part.
double allowed(std::string_view name) {
  if (name == "pow" || name == "erf" || name == "gelu") return 24;
  if (name == "mish" || name == "tanh" || name == "selu" || name == "elu" || name == "gelu_tanh") return 16;
  return 8;
}

template <class F, std::size_t... I>
void check_function(std::index_sequence<I...>) {
  const std::string name(F::name);
  CAPTURE(name);
  std::vector<float> operand[3];
  const std::size_t count = samples.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < (F::arity > 1 ? count : 1); ++j) {
      operand[0].push_back(samples[i]);
      operand[1].push_back(samples[j]);
      operand[2].push_back(samples[(3 * i + 5 * j + 1) % count]);
    }
  const auto n = static_cast<std::int64_t>(operand[0].size());
  tkl::graph g;
  const tkl::value x[3] = {g.input("a", tkl::f32, {n}), F::arity > 1 ? g.input("b", tkl::f32, {n}) : tkl::value{},
                           F::arity > 2 ? g.input("c", tkl::f32, {n}) : tkl::value{}};
  g.output(tkl::function<F>{}(x[I]...));
  std::vector<const void*> inputs;
  for (int k = 0; k < F::arity; ++k) inputs.push_back(operand[k].data());
  const tkl_test::device_run run = tkl_test::run_on_device(g, inputs);
  REQUIRE(run.error == "");
  REQUIRE(run.refused == "");
  for (std::size_t i = 0; i < operand[0].size(); ++i) {
    double given[3]{};
    double size = 0x1p-126;
    for (int k = 0; k < F::arity; ++k) {
      given[k] = static_cast<double>(operand[k][i]);
      if (std::isfinite(given[k])) size = std::fmax(size, name == "pow" ? 0 : std::fmin(std::fabs(given[k]), 1e30));
    }
    if (name == "clip" && !(given[1] <= given[2])) continue;  // bounds that exclude each other
    const double exact = tkl::real_functions<>[tkl::function_index<F>](given), got = run.outputs[0][i];
    CAPTURE(given[0]);
    CAPTURE(given[1]);
    CAPTURE(given[2]);
    CAPTURE(got);
    CAPTURE(exact);
    if (std::isnan(exact)) {
      CHECK(std::isnan(got));
    } else if (std::fabs(exact) > static_cast<double>(std::numeric_limits<float>::max())) {
      CHECK(std::fabs(got) >= 3.4e38);
      CHECK(std::signbit(got) == std::signbit(exact));
    } else {
      const double unit = 0x1p-23 * std::fmax(std::fabs(exact), name == "exp" || name == "pow" ? 0x1p-120 : size);
      CHECK(std::fabs(got - exact) <= allowed(name) * unit);
    }
  }
}

template <class... F>
void check_all(tkl::functor_list<F...>*) {
  (check_function<F>(std::make_index_sequence<F::arity>{}), ...);
}

TEST_CASE("all functions") {
  check_all(static_cast<tkl::function_list*>(nullptr));
}

}  // namespace
