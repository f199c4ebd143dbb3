// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <tkl/algo/pack_winograd.hpp>
#include <tkl/algo/winograd.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>

#include "support/oracle_contraction.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

using cpu = cpu_machine<arch::native>;
constexpr conv_schedule whole = arch::native::conv;

struct cpu_default {
  using machine = cpu;
  static constexpr conv_schedule schedule = whole;
  static constexpr std::int64_t l2_bytes = arch::native::cache.l2;
};
/// The same register tile with strips and blocks so short that every border is met.
struct cpu_cut {
  using machine = cpu;
  static constexpr conv_schedule schedule{.mr = whole.mr, .nr = whole.nr, .kc = 20, .mc = 2 * whole.mr};
  static constexpr std::int64_t l2_bytes = 1024;
};
struct reference_cut {
  using machine = reference_machine;
  static constexpr conv_schedule schedule{.mr = 4, .nr = 3, .kc = 20, .mc = 8};
  static constexpr std::int64_t l2_bytes = 1024;
};

struct layer {
  std::int64_t n, h, w, c, o;
  std::int64_t pad[4]{1, 1, 1, 1};

  std::int64_t out(int axis) const { return (axis == 0 ? h : w) + pad[axis] + pad[axis + 2] - 2; }
};

/// Runs a layer in two executors and compares with the definition; `bound` is relative to the largest result.
template <class Case, int Outputs, class E>
void check(const layer& l, const E& epilogue, double bound, bool with_bias = true, std::int64_t gap = 0) {
  using M = typename Case::machine;
  using scalar = typename M::scalar;
  constexpr conv_schedule S = Case::schedule;
  CAPTURE(Outputs);
  CAPTURE(l.h);
  CAPTURE(l.w);
  CAPTURE(l.c);
  CAPTURE(l.o);
  guarded_tensor<float> x(l.n, l.h, l.w, l.c, gap);
  x.fill(1);
  std::vector<double> raw(static_cast<std::size_t>(l.o * l.c * 9)), bias(static_cast<std::size_t>(l.o)),
      scale(static_cast<std::size_t>(l.o), 1.5);
  fill(raw.data(), raw.size(), 2);
  fill(bias.data(), bias.size(), 3);
  auto packed = aligned_memory<scalar>(packed_winograd_elements(Outputs, l.c, l.o, M::width));
  pack_winograd<scalar>(Outputs, raw.data(), l.c, l.o, scale.data(), with_bias ? bias.data() : nullptr,
                        panels_of(S.nr, M::width), packed.data());

  guarded_tensor<scalar> y(l.n, l.out(0), l.out(1), l.o, gap), again(l.n, l.out(0), l.out(1), l.o, gap);
  const std::int64_t bytes = winograd_scratch_bytes(S, Outputs, M::width, Case::l2_bytes, x.const_view().shape,
                                                    y.const_view().shape, sizeof(scalar));
  auto scratch = aligned_memory<std::byte>(bytes);
  auto scratch3 = aligned_memory<std::byte>(3 * bytes);
  winograd_problem<float, scalar, scalar> p{x.const_view(), packed.data(), y.view(), {l.pad[0], l.pad[1]}};
  winograd<Outputs, S, Case::l2_bytes, M>(p, epilogue, serial{}, scratch.data());
  p.y = again.view();
  winograd<Outputs, S, Case::l2_bytes, M>(p, epilogue, uneven_executor{}, scratch3.data());
  CHECK(y.gaps_intact());
  if (y.size() > 0) CHECK(std::memcmp(y.data(), again.data(), y.size() * sizeof(scalar)) == 0);

  const auto read_x = [&](std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
    return read(x.at(n, h, w, c));
  };
  const conv2d_geometry g{{3, 3}, {1, 1}, {1, 1}, {l.pad[0], l.pad[1]}, 1};
  double range = 0, worst = 0;
  for (std::int64_t n = 0; n < l.n; ++n)
    for (std::int64_t oh = 0; oh < l.out(0); ++oh)
      for (std::int64_t ow = 0; ow < l.out(1); ++ow)
        for (std::int64_t o = 0; o < l.o; ++o) {
          exact_sum s = conv2d_at(read_x, x.const_view().shape, l.o, raw.data(), g, n, oh, ow, o);
          const double sum = s.sum * 1.5 + (with_bias ? bias[static_cast<std::size_t>(o)] : 0);
          const double expected = eval(epilogue, reference_machine::leaf{sum, position{{n, oh, ow}, o}, 1});
          const double difference = std::fabs(read(y.at(n, oh, ow, o)) - expected);
          range = std::fmax(range, std::fabs(sum));
          worst = difference > worst || std::isnan(difference) ? difference : worst;
        }
  CHECK(worst <= bound * range);
}

const layer layers[] = {
    {1, 1, 1, 1, 1},
    {1, 2, 3, 3, 5},
    {1, 4, 4, 8, 16},
    {2, 5, 7, 7, 9},
    {1, 9, 11, 33, 31},
    {1, 14, 14, 24, 48, {0, 0, 0, 0}},
    {1, 6, 17, 16, 8, {2, 0, 1, 3}},
    {3, 7, 7, 17, 40},
    {1, 13, 6, 2, 65},
    {1, 3, 3, 5, 4, {0, 0, 0, 0}},
};

template <class Case>
void check_all(double bound) {
  for (const layer& l : layers) {
    check<Case, 2>(l, acc, bound);
    check<Case, 4>(l, acc, bound);
  }
  check<Case, 4>(layers[3], relu(acc), bound, false, 3);
  check<Case, 2>(layers[4], relu(acc) * 0.5f + 1.0f, bound, true, 5);
}

}  // namespace

TEST_CASE("Winograd's convolution is the direct one within 1e-5 of its range") {
  check_all<cpu_default>(1e-5);
  check_all<cpu_cut>(1e-5);
}

TEST_CASE("on the reference machine nothing but the rounding of double precision remains") {
  check_all<reference_cut>(1e-13);
}

TEST_CASE("real layers stay within 1e-5 of their range") {
  for (const layer& l : {layer{1, 14, 14, 64, 64}, layer{1, 9, 9, 512, 32}, layer{1, 8, 8, 300, 24}}) {
    check<cpu_default, 2>(l, acc, 1e-5);
    check<cpu_default, 4>(l, acc, 1e-5);
  }
}

TEST_CASE("transforms may be larger than any input and output") {
  // A tile whose transform has an entry of 100 times the input, and whose outputs are exact in 16 bits.
  const float s[6] = {1, 0, -1, 0, 1, 0}, r[4] = {0, -1, 0, 1};
  guarded_tensor<float> x(1, 6, 6, 1), y(1, 4, 4, 1);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 6; ++j) x.at(0, i, j, 0) = 1000 * s[i] * s[j];
  const double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const auto run = [&](auto outputs) {
    constexpr int m = decltype(outputs)::value;
    auto packed = aligned_memory<float>(packed_winograd_elements(m, 1, 1, cpu::width));
    pack_winograd<float>(m, ones, 1, 1, static_cast<const double*>(nullptr), static_cast<const double*>(nullptr),
                         panels_of(whole.nr, cpu::width), packed.data());
    auto scratch = aligned_memory<std::byte>(
        winograd_scratch_bytes(whole, m, cpu::width, 1024, x.const_view().shape, y.const_view().shape, sizeof(float)));
    const winograd_problem<float, float, float> p{x.const_view(), packed.data(), y.view(), {0, 0}};
    winograd<m, whole, 1024, cpu>(p, acc, serial{}, scratch.data());
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j)
        CHECK(y.at(0, i, j, 0) == doctest::Approx(1000 * r[i] * r[j]).epsilon(1e-5).scale(1000));
  };
  run(std::integral_constant<int, 2>{});
  run(std::integral_constant<int, 4>{});
}

TEST_CASE("nothing is read or written without outputs or without input channels") {
  check<cpu_default, 4>({1, 5, 5, 0, 8}, acc, 0);
  check<cpu_default, 2>({0, 5, 5, 4, 8}, acc, 0);
  check<cpu_default, 4>({1, 5, 5, 4, 0}, acc, 0);
}

TEST_CASE("the transforms are those of the definition: a tile of one channel, exactly") {
  // Small integers times the points' powers: every intermediate number is exact in double precision.
  double taps[9], d[6][6], v[6][6];
  for (int i = 0; i < 9; ++i) taps[i] = i - 4;
  for (int i = 0; i < 36; ++i) d[i / 6][i % 6] = (i * 7) % 11 - 5;
  double u[6][6];
  transform_filter(detail::winograd_filter(4), taps, u[0]);
  double columns[6][6], products[6][6], half[4][6], y[4][4];
  for (int j = 0; j < 6; ++j) {
    double in[6], out[6];
    for (int i = 0; i < 6; ++i) in[i] = d[i][j];
    transform_input<reference_machine, 6>(in, out);
    for (int i = 0; i < 6; ++i) columns[i][j] = out[i];
  }
  for (int i = 0; i < 6; ++i) transform_input<reference_machine, 6>(columns[i], v[i]);
  for (int i = 0; i < 36; ++i) products[i / 6][i % 6] = u[i / 6][i % 6] * v[i / 6][i % 6];
  for (int j = 0; j < 6; ++j) {
    double in[6], out[4];
    for (int i = 0; i < 6; ++i) in[i] = products[i][j];
    transform_output<reference_machine, 6>(in, out);
    for (int i = 0; i < 4; ++i) half[i][j] = out[i];
  }
  for (int i = 0; i < 4; ++i) transform_output<reference_machine, 6>(half[i], y[i]);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      double expected = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) expected += d[i + a][j + b] * taps[3 * a + b];
      CHECK(y[i][j] == doctest::Approx(expected).epsilon(1e-13));
    }
}
