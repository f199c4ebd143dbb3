// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <tkl/algo/matmul.hpp>
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

struct cpu_case {
  using machine = cpu;
  static constexpr gemm_schedule schedule = arch::native::gemm;
};
struct cpu_cut {
  using machine = cpu;
  static constexpr gemm_schedule schedule{
      .mr = cpu_case::schedule.mr, .nr = cpu_case::schedule.nr, .kc = 12, .mc = 2 * cpu_case::schedule.mr};
};
struct reference_case {
  using machine = reference_machine;
  static constexpr gemm_schedule schedule{.mr = 4, .nr = 3, .kc = 20, .mc = 8};
};

struct extents {
  std::int64_t m, n, k;
  std::int64_t b0 = 1, b1 = 1;
};

template <class M, class TC, class A, class B, class E>
void compare(guarded_tensor<TC>& c, const extents& e, const A& a, const B& b, const E& epilogue, double slack = 1) {
  int wrong = 0;
  const double narrowing = sizeof(TC) == 2 ? (std::is_same_v<TC, half> ? 0x1p-11 : 0x1p-8) : 0;
  for (std::int64_t i0 = 0; i0 < e.b0; ++i0)
    for (std::int64_t i1 = 0; i1 < e.b1; ++i1)
      for (std::int64_t i = 0; i < e.m; ++i)
        for (std::int64_t j = 0; j < e.n; ++j) {
          exact_sum s;
          for (std::int64_t k = 0; k < e.k; ++k) s.add(a(i0, i1, i, k), b(i0, i1, k, j));
          const double expected = eval(epilogue, reference_machine::leaf{s.sum, position{{i0, i1, i}, j}, 1});
          const double got = read(c.at(i0, i1, i, j));
          const double tolerance = slack * error_bound<M>(s) + (0x1p-22 + narrowing) * std::fabs(expected);
          if (!(std::fabs(got - expected) <= tolerance) && ++wrong < 4)
            MESSAGE(i0 << " " << i1 << " " << i << " " << j << ": " << got << " instead of " << expected);
        }
  CHECK(wrong == 0);
  CHECK(c.gaps_intact());
}

template <class Case, class TA = float, class TC = typename Case::machine::scalar,
          class TW = typename Case::machine::scalar, class E>
void check_packed(const extents& e, const E& epilogue, std::int64_t gap = 0) {
  using M = typename Case::machine;
  constexpr gemm_schedule S = Case::schedule;
  guarded_tensor<TA> a(e.b0, e.b1, e.m, e.k, gap);
  a.fill(1);
  guarded_tensor<double> b(1, 1, e.k, e.n);
  b.fill(2);
  auto packed = aligned_memory<TW>(packed_matrix_elements(e.k, e.n, M::width, bias_rows<TW>));
  pack_matrix<TW>(b.data(), e.n, 1, e.k, e.n, static_cast<const double*>(nullptr), static_cast<const double*>(nullptr),
                  panels_of(S.nr, M::width), packed.data());
  guarded_tensor<TC> c(e.b0, e.b1, e.m, e.n, gap), again(e.b0, e.b1, e.m, e.n, gap);
  packed_matmul_problem<TA, TW, TC> p{a.const_view(), packed.data(), c.view()};
  matmul<S, M>(p, epilogue, serial{});
  p.c = again.view();
  matmul<S, M>(p, epilogue, uneven_executor{});
  if (c.size() > 0) CHECK(std::memcmp(c.data(), again.data(), c.size() * sizeof(TC)) == 0);
  compare<M>(
      c, e, [&](auto i0, auto i1, auto i, auto k) { return read(a.at(i0, i1, i, k)); },
      [&](auto, auto, auto k, auto j) { return b.at(0, 0, k, j); }, epilogue);
}

template <class Case, class TA = float, class TB = float, class TC = typename Case::machine::scalar, class E>
void check_plain(const extents& e, matmul_layout layout, const E& epilogue, std::int64_t gap = 0, bool one_b = false) {
  using M = typename Case::machine;
  constexpr gemm_schedule S = Case::schedule;
  guarded_tensor<TA> a = layout.transpose_a ? guarded_tensor<TA>(e.b0, e.b1, e.k, e.m, gap)
                                            : guarded_tensor<TA>(e.b0, e.b1, e.m, e.k, gap);
  const std::int64_t b0 = one_b ? 1 : e.b0;
  guarded_tensor<TB> b =
      layout.transpose_b ? guarded_tensor<TB>(b0, e.b1, e.n, e.k, gap) : guarded_tensor<TB>(b0, e.b1, e.k, e.n, gap);
  a.fill(1), b.fill(2);
  guarded_tensor<TC> c(e.b0, e.b1, e.m, e.n, gap), again(e.b0, e.b1, e.m, e.n, gap);
  matmul_problem<TA, TB, TC> p{a.const_view(), b.const_view(), c.view(), layout};
  if (one_b) p.b.shape.stride[0] = 0;
  const std::int64_t bytes = matmul_scratch_bytes(S, M::width, e.k, layout, sizeof(typename M::scalar));
  auto scratch = aligned_memory<std::byte>(bytes);
  auto scratch3 = aligned_memory<std::byte>(3 * bytes);
  matmul<S, M>(p, epilogue, serial{}, scratch.data());
  p.c = again.view();
  matmul<S, M>(p, epilogue, uneven_executor{}, scratch3.data());
  if (c.size() > 0) CHECK(std::memcmp(c.data(), again.data(), c.size() * sizeof(TC)) == 0);
  compare<M>(
      c, e,
      [&](auto i0, auto i1, auto i, auto k) {
        return read(layout.transpose_a ? a.at(i0, i1, k, i) : a.at(i0, i1, i, k));
      },
      [&](auto i0, auto i1, auto k, auto j) {
        if (one_b) i0 = 0;
        return read(layout.transpose_b ? b.at(i0, i1, j, k) : b.at(i0, i1, k, j));
      },
      epilogue);
}

constexpr matmul_layout layouts[] = {{false, false}, {false, true}, {true, false}, {true, true}};

}  // namespace

TEST_CASE_TEMPLATE("packed: extents around the tile", Case, cpu_case, cpu_cut, reference_case) {
  constexpr int mr = Case::schedule.mr, panel = Case::schedule.nr * Case::machine::width;
  for (int m = 0; m <= 2 * mr + 1; ++m) check_packed<Case>({m, panel + 3, 5}, acc);
  for (int n = 0; n <= 2 * panel + 1; ++n) check_packed<Case>({mr + 1, n, 5}, acc, 1);
  for (int k = 0; k <= 70; ++k) check_packed<Case>({mr + 2, 3, k}, acc, k % 3);
  check_packed<Case>({7, 13, 11, 3, 2}, relu(acc), 2);
  check_packed<Case>({61, 67, 71}, acc);
  check_packed<Case>({0, 0, 0}, acc);
}

TEST_CASE_TEMPLATE("plain operands, both ways round", Case, cpu_case, cpu_cut, reference_case) {
  constexpr int mr = Case::schedule.mr, panel = Case::schedule.nr * Case::machine::width;
  for (matmul_layout layout : layouts) {
    for (int m = 0; m <= 2 * mr + 1; m += 1 + m / 4) check_plain<Case>({m, panel + 3, 5}, layout, acc);
    for (int n = 0; n <= 2 * panel + 1; n += 1 + n / 9) check_plain<Case>({mr + 1, n, 5}, layout, acc, 1);
    for (int k = 0; k <= 40; ++k) check_plain<Case>({mr + 2, 3, k}, layout, acc, k % 3);
    check_plain<Case>({7, 13, 11, 3, 2}, layout, relu(acc), 2);
    check_plain<Case>({7, 37, 11, 3, 2}, layout, acc, 0, true);
    check_plain<Case>({61, 67, 71}, layout, acc);
    check_plain<Case>({0, 3, 4, 2, 2}, layout, acc);
    check_plain<Case>({2, 3, 0, 2, 1}, layout, acc);
  }
}

TEST_CASE("element types") {
  check_packed<cpu_case, half>({7, 21, 19}, acc);
  check_packed<cpu_case, bfloat16, half>({7, 21, 19}, acc);
  check_packed<cpu_case, float, bfloat16>({7, 21, 19}, acc);
  check_packed<cpu_case, float, float, half>({7, 21, 19}, acc);
  check_plain<cpu_case, half, bfloat16>({7, 21, 19}, {true, true}, acc);
  check_plain<cpu_case, std::uint8_t, float>({7, 21, 19}, {}, acc);
}

TEST_CASE("layers of networks") {
  check_packed<cpu_case>({40, 360, 120}, acc);
  check_packed<cpu_case>({40, 663, 120}, acc);
  check_packed<cpu_case>({1, 384, 1000}, relu(acc));
  check_packed<cpu_case>({49, 64, 2048}, acc);
}

TEST_CASE("epilogues see batch, row and column") {
  const extents e{9, 18, 5, 2, 3};
  guarded_tensor<float> residual(2, 3, 9, 18, 1), bias(1, 1, 1, 18);
  residual.fill(3), bias.fill(4);
  const auto s = residual.view().shape.stride;
  const element_node<float> added{{}, residual.data(), {s[0], s[1], s[2]}};
  check_packed<cpu_case>(e, relu(acc + channel_node<float>{{}, bias.data()}) + added);
  check_plain<cpu_case>(e, {true, true}, relu(acc + channel_node<float>{{}, bias.data()}) + added);
  const auto places =
      acc + index_node{{}, 0} * 1000.0f + index_node{{}, 1} * 100.0f + index_node{{}, 2} * 10.0f + index_node{};
  check_packed<cpu_case>(e, places);
  check_plain<cpu_case>(e, {}, places);
}

TEST_CASE("the output is not read: NaN and infinity in it do not survive") {
  for (float stale : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (std::int64_t m = 1; m <= 20; ++m)
      for (std::int64_t n = 1; n <= 20; ++n) {
        guarded_tensor<float> a(1, 1, m, 3), b(1, 1, 3, n), c(1, 1, m, n);
        a.visit([](float& x) { x = 1; });
        b.visit([](float& x) { x = 1; });
        c.visit([&](float& x) { x = stale; });
        auto scratch = aligned_memory<std::byte>(matmul_scratch_bytes(cpu_case::schedule, cpu::width, 3, {}));
        matmul<cpu_case::schedule, cpu>(matmul_problem<float, float, float>{a.const_view(), b.const_view(), c.view()},
                                        acc, serial{}, scratch.data());
        bool all = true;
        c.visit([&](float x) { all = all && x == 3; });
        CHECK(all);
      }
}

TEST_CASE("depth 0 gives zeros, or the epilogue of zero") {
  guarded_tensor<float> a(1, 1, 2, 0), b(1, 1, 0, 3), c(1, 1, 2, 3);
  auto scratch = aligned_memory<std::byte>(matmul_scratch_bytes(cpu_case::schedule, cpu::width, 0, {}));
  matmul_problem<float, float, float> p{a.const_view(), b.const_view(), c.view()};
  matmul<cpu_case::schedule, cpu>(p, acc, serial{}, scratch.data());
  c.visit([](float x) { CHECK(x == 0); });
  matmul<cpu_case::schedule, cpu>(p, acc + 5.0f, serial{}, scratch.data());
  c.visit([](float x) { CHECK(x == 5); });
}

TEST_CASE("a depth that fills no vector, operands flush against the guard page") {
  for (std::int64_t k = 1; k <= 70; ++k)
    for (matmul_layout layout : layouts)
      for (guard side : {guard::end, guard::start}) {
        guarded_tensor<float> a(1, 1, layout.transpose_a ? k : 3, layout.transpose_a ? 3 : k, 0, side);
        guarded_tensor<float> b(1, 1, layout.transpose_b ? 3 : k, layout.transpose_b ? k : 3, 0, side);
        guarded_tensor<float> c(1, 1, 3, 3, 0, side);
        a.visit([](float& x) { x = 1; });
        b.visit([](float& x) { x = 1; });
        auto scratch = aligned_memory<std::byte>(matmul_scratch_bytes(cpu_case::schedule, cpu::width, k, layout));
        matmul<cpu_case::schedule, cpu>(
            matmul_problem<float, float, float>{a.const_view(), b.const_view(), c.view(), layout}, acc, serial{},
            scratch.data());
        bool all = true;
        c.visit([&](float x) { all = all && x == static_cast<float>(k); });
        CHECK(all);
      }
}

TEST_CASE("NaN in an operand reaches its row or column, whatever the other operand holds") {
  guarded_tensor<float> a(1, 1, 7, 5), b(1, 1, 5, 9), c(1, 1, 7, 9);
  a.visit([](float& x) { x = 0; });
  b.visit([](float& x) { x = 0; });
  a.at(0, 0, 2, 3) = std::nanf("");
  b.at(0, 0, 1, 4) = std::numeric_limits<float>::infinity();
  auto scratch = aligned_memory<std::byte>(matmul_scratch_bytes(cpu_case::schedule, cpu::width, 5, {}));
  matmul<cpu_case::schedule, cpu>(matmul_problem<float, float, float>{a.const_view(), b.const_view(), c.view()}, acc,
                                  serial{}, scratch.data());
  for (std::int64_t i = 0; i < 7; ++i)
    for (std::int64_t j = 0; j < 9; ++j) CHECK(std::isnan(c.at(0, 0, i, j)) == (i == 2 || j == 4));
}

TEST_CASE("sums of 16-bit products are held in f32") {
  for (std::int64_t k : {4096, 4099}) {  // a half counts no further than 2048
    guarded_tensor<half> a(1, 1, 1, k), b(1, 1, k, 1), narrow_c(1, 1, 1, 1);
    guarded_tensor<float> c(1, 1, 1, 1);
    a.visit([](half& x) { x = to_half(1); });
    b.visit([](half& x) { x = to_half(1); });
    auto scratch = aligned_memory<std::byte>(matmul_scratch_bytes(cpu_case::schedule, cpu::width, k, {}));
    matmul<cpu_case::schedule, cpu>(matmul_problem<half, half, float>{a.const_view(), b.const_view(), c.view()}, acc,
                                    serial{}, scratch.data());
    CHECK(c.at(0, 0, 0, 0) == static_cast<float>(k));
    matmul<cpu_case::schedule, cpu>(matmul_problem<half, half, half>{a.const_view(), b.const_view(), narrow_c.view()},
                                    acc, serial{}, scratch.data());
    CHECK(narrow_c.at(0, 0, 0, 0) == to_half(k == 4096 ? 4096.0f : 4100.0f));
  }
}
