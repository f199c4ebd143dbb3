// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <tkl/algo/conv2d.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>

#include "cases/contractions.hpp"
#include "support/oracle_contraction.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

using cpu = cpu_machine<arch::native>;
constexpr conv_schedule whole = arch::native::conv;
/// The same register tile with strips and blocks so short that every border is met.
constexpr conv_schedule cut{.mr = whole.mr, .nr = whole.nr, .kc = 20, .mc = 2 * whole.mr};

struct cpu_default {
  using machine = cpu;
  static constexpr conv_schedule schedule = whole;
};
struct cpu_cut {
  using machine = cpu;
  static constexpr conv_schedule schedule = cut;
};
struct reference_cut {
  using machine = reference_machine;
  static constexpr conv_schedule schedule{.mr = 4, .nr = 3, .kc = 20, .mc = 8};
};

using layer = conv_layer;

conv2d_geometry geometry_of(const conv_layer& l) {
  return {{l.kernel[0], l.kernel[1]},
          {l.stride[0], l.stride[1]},
          {l.dilation[0], l.dilation[1]},
          {l.pad[0], l.pad[1]},
          l.groups};
}
conv_weights weights_of(const layer& l) {
  return {l.c, l.o, {l.kernel[0], l.kernel[1]}, l.groups};
}

/// Runs one layer with an epilogue in two executors and compares with the definition. `expression(n, y)` builds the
/// epilogue; `slack` bounds how much it may enlarge an error.
template <class Case, class TA = float, class TC = typename Case::machine::scalar, class E>
void check(const layer& l, const E& epilogue, double slack = 1, bool with_bias = true, std::int64_t gap = 0) {
  using M = typename Case::machine;
  using scalar = typename M::scalar;
  constexpr conv_schedule S = Case::schedule;
  guarded_tensor<TA> x(l.n, l.h, l.w, l.c, gap);
  x.fill(1);
  const conv_weights w = weights_of(l);
  std::vector<double> raw(static_cast<std::size_t>(w.out_channels * w.depth())), bias(static_cast<std::size_t>(l.o));
  fill(raw.data(), raw.size(), 2);
  fill(bias.data(), bias.size(), 3);
  const panel_shape panels = panels_of(S.nr, M::width);
  auto packed = aligned_memory<scalar>(packed_conv2d_elements(w, M::width));
  pack_conv2d<scalar>(raw.data(), w, static_cast<const double*>(nullptr), with_bias ? bias.data() : nullptr, panels,
                      packed.data());

  guarded_tensor<TC> y(l.n, l.out(0), l.out(1), l.o, gap), again(l.n, l.out(0), l.out(1), l.o, gap);
  const conv2d_geometry g = geometry_of(l);
  const std::int64_t bytes = conv2d_scratch_bytes(S, g, x.const_view().shape, y.const_view().shape, sizeof(TA));
  auto scratch = aligned_memory<std::byte>(bytes);
  auto scratch3 = aligned_memory<std::byte>(3 * bytes);
  conv2d_problem<TA, scalar, TC> p{x.const_view(), packed.data(), y.view(), g};
  conv2d<S, M>(p, epilogue, serial{}, scratch.data());
  p.y = again.view();
  conv2d<S, M>(p, epilogue, uneven_executor{}, scratch3.data());
  CHECK(y.gaps_intact());
  if (y.size() > 0) CHECK(std::memcmp(y.data(), again.data(), y.size() * sizeof(TC)) == 0);

  const auto read_x = [&](std::int64_t n, std::int64_t h, std::int64_t w_, std::int64_t c) {
    return read(x.at(n, h, w_, c));
  };
  const double narrowing = sizeof(TC) == 2 ? (std::is_same_v<TC, half> ? 0x1p-11 : 0x1p-8) : 0;
  int wrong = 0;
  for (std::int64_t n = 0; n < l.n; ++n)
    for (std::int64_t oh = 0; oh < l.out(0); ++oh)
      for (std::int64_t ow = 0; ow < l.out(1); ++ow)
        for (std::int64_t o = 0; o < l.o; ++o) {
          exact_sum s = conv2d_at(read_x, x.const_view().shape, l.o, raw.data(), g, n, oh, ow, o);
          if (with_bias) s.add(bias[static_cast<std::size_t>(o)], 1);
          const double expected = eval(epilogue, reference_machine::leaf{s.sum, position{{n, oh, ow}, o}, 1});
          const double tolerance = slack * error_bound<M>(s) + (0x1p-22 + narrowing) * std::fabs(expected) + 1e-30;
          const double got = read(y.at(n, oh, ow, o));
          if (!(std::fabs(got - expected) <= tolerance) && ++wrong < 4)
            MESSAGE(n << " " << oh << " " << ow << " " << o << ": " << got << " instead of " << expected);
        }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("layers against the definition", Case, cpu_default, cpu_cut, reference_cut) {
  for (const layer& l : conv_layers) {
    const std::string name = std::to_string(&l - conv_layers);
    CAPTURE(name);
    check<Case>(l, acc);
    check<Case>(l, relu(acc), 1, false, 3);
  }
}

TEST_CASE_TEMPLATE("every number of rows, channels and depth around the tile", Case, cpu_default, cpu_cut,
                   reference_cut) {
  constexpr int mr = Case::schedule.mr, panel = Case::schedule.nr * Case::machine::width;
  for (int w = 1; w <= 2 * mr + 1; ++w) check<Case>({1, 1, w, 3, panel + 1}, acc);
  for (int o = 1; o <= 2 * panel + 1; ++o) check<Case>({1, 1, mr + 1, 3, o}, acc);
  for (int c = 1; c <= 70; ++c) check<Case>({1, 1, mr + 1, c, 5}, acc);
  for (int w = 1; w <= 33; ++w) check<Case>({1, 3, w, 3, 4, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}, acc);
}

TEST_CASE_TEMPLATE("epilogues", Case, cpu_default, reference_cut) {
  const layer l{2, 5, 6, 7, 19, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
  guarded_tensor<float> residual(2, 5, 6, 19, 2), scale(1, 1, 1, 19), shift(1, 1, 1, 19), gate(2, 1, 1, 19);
  residual.fill(7), scale.fill(8), shift.fill(9), gate.fill(10);
  const auto& r = residual.const_view();
  const element_node<float> added{{}, r.data, {r.shape.stride[0], r.shape.stride[1], r.shape.stride[2]}};
  check<Case>(l, relu(acc + added));
  check<Case>(l, acc * channel_node<float>{{}, scale.data()} + channel_node<float>{{}, shift.data()});
  check<Case>(l, acc * element_node<float>{{}, gate.data(), {19, 0, 0}} + added);
  check<Case>(l, hard_swish(acc), 4);
  check<Case>(l, acc * index_node{{}, 3} + index_node{{}, 2} - index_node{{}, 1} * index_node{{}, 0}, 19);
}

TEST_CASE_TEMPLATE("epilogues that only bound, stored by the tile or not", Case, cpu_default, cpu_cut, reference_cut) {
  const int width = Case::machine::width, panel = Case::schedule.nr * width;
  for (int o : {panel, 2 * panel + width, panel + 1})  // whole vectors, a wide last panel, a rest
    for (int gap : {0, 3}) {                           // rows evenly far apart, or not
      const layer l{2, 5, 9, 6, o, {3, 3}, {2, 1}, {1, 1}, {1, 1, 1, 1}};
      check<Case>(l, acc, 1, true, gap);
      check<Case>(l, relu(acc), 1, true, gap);
      check<Case>(l, relu6(acc), 1, true, gap);
      check<Case>(l, clip(acc, -0.25, 0.5), 1, true, gap);
      check<Case>(l, clip(acc, 0.5, -0.25), 1, true, gap);
    }
}

TEST_CASE_TEMPLATE("few columns; rows of one share a vector where the epilogue depends on the sum alone", Case,
                   cpu_default, cpu_cut, reference_cut) {
  const float scale = 3;
  for (std::int64_t o = 1; o <= Case::machine::width / 2 + 1; ++o)
    for (const std::int64_t columns : {1, 2, 7, 13, 97}) {
      check<Case>({1, 1, columns, 3, o}, tkl::tanh(acc) * scalar_node<float>{{}, &scale}, 1);
      check<Case>({1, 2, columns, 3, o, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, tkl::tanh(acc) * 0.5f);
    }
  check<cpu_default, half, half>({1, 3, 9, 5, 1}, tkl::tanh(acc));
}

TEST_CASE("other element types") {
  const layer l{1, 6, 7, 11, 21, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
  check<cpu_default, half>(l, acc);
  check<cpu_default, bfloat16>(l, acc);
  check<cpu_default, std::uint8_t>(l, acc);
  check<cpu_default, float, half>(l, acc);
  check<cpu_default, float, bfloat16>(l, acc);
  check<reference_cut, std::uint8_t, half>(l, acc);
}

TEST_CASE("layers of networks") {
  check<cpu_default>({1, 28, 28, 128, 32, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, relu(acc));
  // Large outputs whose panels are all at hand are written along their rows.
  check<cpu_default>({1, 52, 52, 24, 72}, relu(acc));
  check<cpu_default>({1, 52, 52, 8, 56, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, relu(acc));
  check<cpu_default>({1, 3, 80, 480, 60}, relu(acc));
  check<cpu_default>({1, 1, 40, 480, 60, {1, 3}, {1, 1}, {1, 1}, {0, 1, 0, 1}}, acc);
  check<cpu_default>({1, 7, 7, 512, 40, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}, acc);
  check<cpu_default>({1, 1, 1, 240, 60}, relu(acc));
}

namespace {

/// A convolution of NCHW data given as numbers, f32, no epilogue; returns NCHW.
std::vector<float> convolve(const layer& l, const std::vector<float>& x, const std::vector<float>& weights,
                            float bias = 0) {
  guarded_tensor<float> in(l.n, l.h, l.w, l.c), out(l.n, l.out(0), l.out(1), l.o);
  for (std::int64_t c = 0; c < l.c; ++c)
    for (std::int64_t h = 0; h < l.h; ++h)
      for (std::int64_t w = 0; w < l.w; ++w) in.at(0, h, w, c) = x[static_cast<std::size_t>((c * l.h + h) * l.w + w)];
  const conv_weights w = weights_of(l);
  const std::vector<float> biases(static_cast<std::size_t>(l.o), bias);
  auto packed = aligned_memory<float>(packed_conv2d_elements(w, cpu::width));
  pack_conv2d<float>(weights.data(), w, static_cast<const float*>(nullptr), biases.data(),
                     panels_of(whole.nr, cpu::width), packed.data());
  const conv2d_geometry g = geometry_of(l);
  auto scratch =
      aligned_memory<std::byte>(conv2d_scratch_bytes(whole, g, in.const_view().shape, out.const_view().shape));
  conv2d<whole, cpu>(conv2d_problem<float, float, float>{in.const_view(), packed.data(), out.view(), g}, acc, serial{},
                     scratch.data());
  std::vector<float> y;
  for (std::int64_t c = 0; c < l.o; ++c)
    for (std::int64_t h = 0; h < l.out(0); ++h)
      for (std::int64_t q = 0; q < l.out(1); ++q) y.push_back(out.at(0, h, q, c));
  return y;
}

std::vector<float> counted(int n, float first = 1) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(first + static_cast<float>(i));
  return v;
}

using floats = std::vector<float>;

}  // namespace

TEST_CASE("a kernel that does not fit computes and touches nothing") {
  CHECK(convolve({1, 2, 2, 1, 1, {3, 3}}, {1, 2, 3, 4}, floats(9, 1)).empty());
  CHECK(convolve({1, 4, 4, 1, 1, {3, 3}, {1, 1}, {2, 2}}, counted(16), floats(9, 1)).empty());
}

TEST_CASE("stride 2 with an output that fills no vector") {
  floats x, w;
  for (int c = 0; c < 3; ++c)
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 6; ++column) x.push_back(static_cast<float>(100 * c + 10 * row + column));
  for (int o = 0; o < 4; ++o) w.insert(w.end(), 27, static_cast<float>(o + 1));
  const floats first{1266, 1926, 1962, 2169, 3294, 3348, 2529, 3834, 3888};
  const floats y = convolve({1, 6, 6, 3, 4, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}, x, w);
  REQUIRE(y.size() == 36);
  for (std::size_t o = 0; o < 4; ++o)
    for (std::size_t i = 0; i < 9; ++i) CHECK(y[o * 9 + i] == first[i] * static_cast<float>(o + 1));
}

TEST_CASE("dilation with padding, one group per channel") {
  floats x;
  for (int c = 0; c < 4; ++c)
    for (float v : counted(25)) x.push_back(v);
  const floats first{29, 33, 49, 33, 37, 49, 53, 79, 53, 57,  73, 79, 118,
                     79, 85, 49, 53, 79, 53, 57, 69, 73, 109, 73, 77};
  const floats y = convolve({1, 5, 5, 4, 4, {3, 3}, {1, 1}, {2, 2}, {2, 2, 2, 2}, 4}, x, floats(36, 1), 1);
  REQUIRE(y.size() == 100);
  for (std::size_t i = 0; i < 100; ++i) CHECK(y[i] == first[i % 25]);
}

TEST_CASE("groups that are not depthwise") {
  CHECK(convolve({1, 1, 1, 4, 6, {1, 1}, {1, 1}, {1, 1}, {}, 2}, {1, 10, 100, 1000}, counted(12)) ==
        floats{21, 43, 65, 8700, 10900, 13100});
}

TEST_CASE("four unequal paddings") {
  CHECK(convolve({1, 4, 4, 1, 1, {5, 5}, {2, 2}, {1, 1}, {1, 1, 2, 2}}, counted(16), floats(25, 1)) ==
        floats{136, 108, 126, 99});
}

TEST_CASE("kernel smaller than the stride") {
  CHECK(convolve({1, 1, 5, 1, 1, {1, 1}, {1, 2}}, counted(5), {7}) == floats{7, 21, 35});
  CHECK(convolve({1, 1, 4, 1, 1, {1, 1}, {1, 2}}, counted(4), {7}) == floats{7, 21});
}

TEST_CASE("channels beyond a panel's last one are never stored") {
  floats w;
  for (int o = 0; o < 22; ++o) w.insert(w.end(), 9, static_cast<float>(o + 1));
  const floats y = convolve({1, 1, 1, 9, 22}, floats(9, 1), w);
  REQUIRE(y.size() == 22);
  for (std::size_t o = 0; o < 22; ++o) CHECK(y[o] == 9 * static_cast<float>(o + 1));
}

TEST_CASE("NaN and infinity of the input reach exactly the outputs that see them") {
  floats x(16, 1);
  x[5] = std::nanf("");
  const floats y = convolve({1, 4, 4, 1, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, x, floats(9, 1));
  for (int i = 0; i < 16; ++i) CHECK(std::isnan(y[static_cast<std::size_t>(i)]) == (i / 4 <= 2 && i % 4 <= 2));
}

TEST_CASE("NaN passes every bound, and a bound that is NaN gives NaN") {
  using M = cpu_default::machine;
  constexpr std::int64_t columns = 2 * M::width;
  auto packed = aligned_memory<float>(packed_conv2d_elements({1, columns, {1, 1}, 1}, M::width));
  const std::vector<double> ones(columns, 1);
  const double* none = nullptr;
  pack_conv2d<float>(ones.data(), {1, columns, {1, 1}, 1}, none, none, panels_of(cpu_default::schedule.nr, M::width),
                     packed.data());
  const float x[2] = {std::nanf(""), 7};
  std::vector<float> y(2 * columns);
  const conv2d_problem<float, float, float> p{
      {x, contiguous(1, 1, 2, 1)}, packed.data(), {y.data(), contiguous(1, 1, 2, columns)}, {}};
  auto scratch = aligned_memory<std::byte>(conv2d_scratch_bytes(cpu_default::schedule, {}, p.x.shape, p.y.shape));
  const auto all = [&](std::int64_t row, auto holds) {
    for (std::int64_t c = 0; c < columns; ++c) CHECK(holds(y[static_cast<std::size_t>(row * columns + c)]));
  };
  const auto is_nan = [](float v) { return std::isnan(v); };
  conv2d<cpu_default::schedule, M>(p, relu6(acc), serial{}, scratch.data());
  all(0, is_nan), all(1, [](float v) { return v == 6; });
  conv2d<cpu_default::schedule, M>(p, clip(acc, 0, std::nanf("")), serial{}, scratch.data());
  all(0, is_nan), all(1, is_nan);
}
