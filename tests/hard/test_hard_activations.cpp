// SPDX-License-Identifier: Apache-2.0
// Activations at their edges, in every lane: underflow, overflow, the two forms of GELU, NaN.
// tkl-test: timeout=600
#include <tkl/elementwise.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::bf16, tkl::f16, tkl::f32, tkl::graph, tkl::value;

namespace {

/// Of a result of 1: exact on the CPU; OpenCL 1.2 grants five units in the last place.
#if defined(TKL_HARD_ON_DEVICE)
constexpr double error_of_tanh = 5 * 0x1p-23;
#else
constexpr double error_of_tanh = 0;
#endif

/// 7 values repeated until each has met each of 16 lanes, and a tail.
constexpr std::int64_t length = 7 * 16 + 3;
std::vector<double> lanes(const std::vector<double>& seven) {
  std::vector<double> v;
  for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) v.push_back(seven[i % 7]);
  return v;
}

const std::vector<double> sigmoid_in = {-110, -100, -90, 0, 90, 3212, 1};
const std::vector<double> sigmoid_out = {0, 3.7200760e-44, 8.1940126e-40, 0.5, 1, 1, 0.73105858};
const std::vector<double> exp_in = {-87, -87.5, -88, -88.1, -88.5, -104, 0};
const std::vector<double> exp_out = {1.6458115e-38, 9.9823496e-39, 6.0546018e-39, 5.4784300e-39, 3.6723017e-39, 0, 1};
const std::vector<double> tanh_gelu_in = {10.5, 15.5, 21.66, 1e4, -13.24, -1e4, 2.699};
const std::vector<double> tanh_gelu_out = {10.5, 15.5, 21.66, 1e4, 0, 0, 2.6900875};
const std::vector<double> softplus_in = {100, 20, -75, 12, 11, 0, 1};
const std::vector<double> softplus_out = {100,          20.000000002, 2.678637e-33, 12.000006144,
                                          11.000016702, 0.69314718,   1.3132617};
const std::vector<double> not_numbers = {not_a_number, 1, not_a_number, -1, 3, not_a_number, 7};

/// The functions alone, so that their results are not rounded by what follows.
struct alone {
  static constexpr void build(graph& g) {
    const auto in = [&](const char* name) { return g.input(name, f32, {length}); };
    g.output(tkl::sigmoid(in("sigmoid")), "sigmoid");
    g.output(tkl::exp(in("exp")), "exp");
    g.output(tkl::gelu_tanh(in("gelu_tanh")), "gelu_tanh");
    const value s = in("softplus");
    g.output(tkl::softplus(s), "softplus");
    g.output(tkl::mish(s), "mish");
    const value n = in("NaN");
    g.output(tkl::relu(n), "relu"), g.output(tkl::clip(n, 0.0, 6.0), "clip");
    g.output(tkl::max(n, 1.0), "max left"), g.output(tkl::max(1.0, n), "max right");
  }
};

/// Behind a product, in its epilogue or not: a fused graph keeps the form that it replaced.
template <flavour F>
struct behind_product {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1, 2}), unit = g.weight("unit", {2, 2});
    const value y = tkl::linear(x, unit);
    if (F == flavour::unfused) g.output(y, "y");
    g.output(tkl::gelu(F == flavour::fused ? tkl::linear(x, unit) : y), "gelu");
    g.output(tkl::gelu_tanh(F == flavour::fused ? tkl::linear(x, unit) : y), "gelu_tanh");
    // The exact form written out.
    const value z = F == flavour::fused ? tkl::linear(x, unit) : y;
    g.output(z * 0.5 * (1.0 + tkl::erf(z * 0.70710678118654752)), "gelu written");
    const value r = F == flavour::fused ? tkl::linear(g.input("NaN", f32, {2, 2}), unit)
                                        : tkl::linear(g.input("NaN", f32, {2, 2}), unit);
    if (F == flavour::unfused) g.output(r, "r");
    g.output(tkl::clip(r, 0.0, 6.0), "clip");
    g.output(tkl::max(1.0, tkl::relu(r)), "max");
  }
};

struct sixteen_bits {
  static constexpr void build(graph& g) {
    const value h = g.input("half", f16, {1, 6}), b = g.input("brain", bf16, {1, 6});
    g.output(tkl::gelu_tanh(h), "half"), g.output(tkl::gelu_tanh(b), "brain");
    g.output(tkl::softplus(g.input("softplus", f16, {1, 2})), "softplus");
  }
};

}  // namespace

TEST_CASE("activations at their edges, in every lane and in the tail") {
  const std::vector<double> nan = lanes(not_numbers);
  std::vector<double> relu = nan, clip = nan, max = nan;
  for (double& v : relu) v = v < 0 ? 0 : v;
  for (double& v : clip) v = v < 0 ? 0 : v > 6 ? 6 : v;
  for (double& v : max) v = v < 1 ? 1 : v;
  check_model<alone>({
      .given = {{"sigmoid", lanes(sigmoid_in)},
                {"exp", lanes(exp_in)},
                {"gelu_tanh", lanes(tanh_gelu_in)},
                {"softplus", lanes(softplus_in)},
                {"NaN", nan}},
      .results = {{.name = "sigmoid", .values = lanes(sigmoid_out), .absolute = 3e-45},
                  {.name = "exp", .values = lanes(exp_out), .absolute = 3e-45},
                  {.name = "gelu_tanh", .values = lanes(tanh_gelu_out), .zero = 1e-37},
                  {.name = "softplus", .values = lanes(softplus_out), .absolute = 1e-40},
                  {.name = "mish",
                   .values =
                       lanes({100, 20.0000000001, -75 * 2.678637e-33, 11.9999999999, 10.9999999999, 1e-30, 0.86509839}),
                   .whole = error_of_tanh},
                  {"relu", relu},
                  {"clip", clip},
                  {"max left", max},
                  {"max right", max}},
  });
}

TEST_CASE("the two forms of GELU are not mixed up, and NaN passes, fused or not") {
  check_flavours<behind_product>({
      .given = {{"x", {2.699, 1}}, {"unit", {1, 0, 0, 1}}, {"NaN", {not_a_number, not_a_number, 2, 9}}},
      .results = {{"y", {2.699, 1}},
                  {"gelu", {2.6896143, 0.8413447}},
                  {"gelu_tanh", {2.6900875, 0.8411920}},
                  {"gelu written", {2.6896143, 0.8413447}},
                  {"r", {not_a_number, not_a_number, 2, 9}},
                  {"clip", {not_a_number, not_a_number, 2, 6}},
                  {"max", {not_a_number, not_a_number, 2, 9}}},
  });
}

TEST_CASE("activations of half precision do not overflow inside") {
  const auto rounded = [](double x, bool half) {
    return static_cast<double>(half ? tkl::to_float(tkl::to_half(static_cast<float>(x)))
                                    : tkl::to_float(tkl::to_bfloat16(static_cast<float>(x))));
  };
  std::vector<double> in = {10.5, 15.5, 21.66, 1e4, -13.24, -1e4}, half, brain;
  for (const double x : in)
    half.push_back(x > 0 ? rounded(x, true) : 0), brain.push_back(x > 0 ? rounded(x, false) : 0);
  check_model<sixteen_bits>({
      .given = {{"half", in}, {"brain", in}, {"softplus", {12, 11}}},
      .results = {{.name = "half", .values = half, .zero = 1e-37},
                  {.name = "brain", .values = brain, .zero = 1e-37},
                  {"softplus", {12, 11}}},
      .planned = false,
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the interpreter and of the CPU alone
TEST_CASE("exp near the end of the range of doubles, and of floats at the same place") {
  graph g;
  g.output(tkl::exp(g.input("x", f32, {2})), "y");
  tkl::interpreter run(g);
  const std::vector<double> in = {-709.5, -746};
  REQUIRE(run.set_input("x", std::span<const double>(in)));
  REQUIRE(run.run());
  const std::vector<double> y = run.output_as_declared(0);
  CHECK(std::fabs(y[0] - 7.38014831e-309) < 1e-316);  // a subnormal number
  CHECK(y[1] == 0);
  tkl::tensor<float, tkl::row_major<tkl::dyn>> x(tkl::row_major(19)), z(tkl::row_major(19));
  for (float& e : x) e = -709.5f;
  REQUIRE(tkl::assign(z, tkl::exp(x)).ok());
  for (const float e : z) CHECK(e == 0);
}

TEST_CASE("every length up to 40, with extents known when the program runs") {
  using vector = tkl::tensor<float, tkl::row_major<tkl::dyn>>;
  const auto close = [](double got, double want) {
    return got == want || std::fabs(got - want) <= 3e-45 + 1e-5 * std::fabs(want) ||
           (want == 0 && std::fabs(got) < 1e-37);
  };
  for (std::int64_t n = 1; n <= 40; ++n) {
    CAPTURE(n);
    vector x{tkl::row_major(n)}, y{tkl::row_major(n)};
    const auto check = [&](const std::vector<double>& in, const std::vector<double>& want, auto function) {
      for (std::int64_t turn = 0; turn < 7; ++turn) {
        const auto at = [&](std::int64_t i) { return static_cast<std::size_t>((i + turn) % 7); };
        for (std::int64_t i = 0; i < n; ++i) x(i) = static_cast<float>(in[at(i)]);
        REQUIRE(function().ok());
        for (std::int64_t i = 0; i < n; ++i) {
          const auto got = static_cast<double>(y(i));
          if (std::isnan(want[at(i)]) ? !std::isnan(got) : !close(got, want[at(i)])) CHECK(got == want[at(i)]);
        }
      }
    };
    check(sigmoid_in, sigmoid_out, [&] { return tkl::assign(y, tkl::sigmoid(x)); });
    check(exp_in, exp_out, [&] { return tkl::assign(y, tkl::exp(x)); });
    check(tanh_gelu_in, tanh_gelu_out, [&] { return tkl::assign(y, tkl::gelu_tanh(x)); });
    check(softplus_in, softplus_out, [&] { return tkl::assign(y, tkl::softplus(x)); });
    check(not_numbers, {not_a_number, 1, not_a_number, 0, 3, not_a_number, 6},
          [&] { return tkl::assign(y, tkl::clip(x, 0.0f, 6.0f)); });
    check(not_numbers, {not_a_number, 1, not_a_number, 0, 3, not_a_number, 7},
          [&] { return tkl::assign(y, tkl::relu(x)); });
    check(not_numbers, {not_a_number, 1, not_a_number, 1, 3, not_a_number, 7},
          [&] { return tkl::assign(y, tkl::max(x, 1.0f)); });
    check(not_numbers, {not_a_number, 1, not_a_number, 1, 3, not_a_number, 7},
          [&] { return tkl::assign(y, tkl::max(1.0f, x)); });
  }
}
#endif
