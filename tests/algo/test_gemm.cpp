// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <tkl/algo/gemm.hpp>
#include <tkl/algo/static_gemm.hpp>
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
/// Blocks so small that a product of a few dozen crosses all of them.
struct cpu_cut {
  using machine = cpu;
  static constexpr gemm_schedule schedule{.mr = cpu_case::schedule.mr,
                                          .nr = cpu_case::schedule.nr,
                                          .kc = 12,
                                          .mc = 2 * cpu_case::schedule.mr,
                                          .nc = 2 * cpu_case::schedule.nr * cpu::width};
};
struct reference_case {
  using machine = reference_machine;
  static constexpr gemm_schedule schedule{.mr = 4, .nr = 3, .kc = 8, .mc = 8, .nc = 6};
};

struct extents {
  std::int64_t m, n, k;
  std::int64_t b0 = 1, b1 = 1;
};

template <class M, class TC, class A, class B, class E>
void compare(guarded_tensor<TC>& c, const extents& e, const A& a, const B& b, const E& epilogue) {
  int wrong = 0;
  for (std::int64_t i0 = 0; i0 < e.b0; ++i0)
    for (std::int64_t i1 = 0; i1 < e.b1; ++i1)
      for (std::int64_t i = 0; i < e.m; ++i)
        for (std::int64_t j = 0; j < e.n; ++j) {
          exact_sum s;
          for (std::int64_t k = 0; k < e.k; ++k) s.add(a(i0, i1, i, k), b(i0, i1, k, j));
          const double expected = eval(epilogue, reference_machine::leaf{s.sum, position{{i0, i1, i}, j}, 1});
          const double got = read(c.at(i0, i1, i, j));
          if (!(std::fabs(got - expected) <= error_bound<M>(s) + 0x1p-22 * std::fabs(expected)) && ++wrong < 4)
            MESSAGE(i0 << " " << i1 << " " << i << " " << j << ": " << got << " instead of " << expected);
        }
  CHECK(wrong == 0);
  CHECK(c.gaps_intact());
}

template <class Case, class TA = float, class TB = float, class E>
void check(const extents& e, matmul_layout layout, const E& epilogue, std::int64_t gap = 0) {
  using M = typename Case::machine;
  using TC = typename M::scalar;
  constexpr gemm_schedule S = Case::schedule;
  guarded_tensor<TA> a = layout.transpose_a ? guarded_tensor<TA>(e.b0, e.b1, e.k, e.m, gap)
                                            : guarded_tensor<TA>(e.b0, e.b1, e.m, e.k, gap);
  guarded_tensor<TB> b = layout.transpose_b ? guarded_tensor<TB>(e.b0, e.b1, e.n, e.k, gap)
                                            : guarded_tensor<TB>(e.b0, e.b1, e.k, e.n, gap);
  a.fill(1), b.fill(2);
  guarded_tensor<TC> c(e.b0, e.b1, e.m, e.n, gap), again(e.b0, e.b1, e.m, e.n, gap);
  matmul_problem<TA, TB, TC> p{a.const_view(), b.const_view(), c.view(), layout};
  auto scratch = aligned_memory<std::byte>(gemm_scratch_bytes(S, M::width, e.n, e.k, layout, 1, sizeof(TC)));
  auto scratch3 = aligned_memory<std::byte>(gemm_scratch_bytes(S, M::width, e.n, e.k, layout, 3, sizeof(TC)));
  gemm<S, M>(p, epilogue, serial{}, scratch.data());
  p.c = again.view();
  gemm<S, M>(p, epilogue, uneven_executor{}, scratch3.data());
  if (c.size() > 0) CHECK(std::memcmp(c.data(), again.data(), c.size() * sizeof(TC)) == 0);
  compare<M>(
      c, e,
      [&](auto i0, auto i1, auto i, auto k) {
        return read(layout.transpose_a ? a.at(i0, i1, k, i) : a.at(i0, i1, i, k));
      },
      [&](auto i0, auto i1, auto k, auto j) {
        return read(layout.transpose_b ? b.at(i0, i1, j, k) : b.at(i0, i1, k, j));
      },
      epilogue);
}

constexpr matmul_layout layouts[] = {{false, false}, {false, true}, {true, false}, {true, true}};

}  // namespace

TEST_CASE_TEMPLATE("extents around tiles, strips and blocks", Case, cpu_case, cpu_cut, reference_case) {
  constexpr int mr = Case::schedule.mr, panel = Case::schedule.nr * Case::machine::width;
  for (matmul_layout layout : layouts) {
    for (int m = 0; m <= 2 * mr + 1; m += 1 + m / 4) check<Case>({m, panel + 3, 5}, layout, acc);
    for (int n = 0; n <= 4 * panel + 1; n += 1 + n / 9) check<Case>({mr + 1, n, 13}, layout, acc, 1);
    for (int k = 0; k <= 40; k += 1 + k / 5) check<Case>({mr + 2, 3, k}, layout, acc, k % 3);
    check<Case>({61, 67, 71}, layout, relu(acc), 1);
    check<Case>({7, 37, 11, 3, 2}, layout, acc, 2);
    check<Case>({0, 3, 4, 2, 2}, layout, acc);
    check<Case>({5, 0, 4}, layout, acc);
    check<Case>({2, 3, 0, 2, 1}, layout, acc + 5.0f);
  }
}

TEST_CASE("power-of-two strides and odd ones; epilogue with places") {
  guarded_tensor<float> bias(1, 1, 1, 130);
  bias.fill(9);
  const auto e = acc * 0.5f + channel_node<float>{{}, bias.data()} + index_node{{}, 2};
  for (matmul_layout layout : layouts) {
    check<cpu_case>({128, 128, 128}, layout, e);
    check<cpu_case>({129, 130, 300}, layout, e);
  }
}

TEST_CASE("16-bit operands") {
  check<cpu_case, half, bfloat16>({13, 35, 21}, {true, false}, acc);
}

namespace {

template <class Case, gemm_extents N>
void check_static(std::int64_t gap) {
  using M = typename Case::machine;
  using TC = typename M::scalar;
  guarded_tensor<float> a(1, 1, N.rows, N.depth, gap), b(1, 1, N.depth, N.columns, gap), bias(1, 1, 1, N.columns);
  guarded_tensor<TC> c(1, 1, N.rows, N.columns, gap);
  a.fill(1), b.fill(2), bias.fill(3);
  const auto epilogue = acc + channel_node<float>{{}, bias.data()} * index_node{{}, 2};
  static_gemm<Case::schedule, M, N>(a.data(), N.depth + gap, b.data(), N.columns + gap, c.view().data, N.columns + gap,
                                    epilogue);
  compare<M>(
      c, {N.rows, N.columns, N.depth}, [&](auto, auto, auto i, auto k) { return read(a.at(0, 0, i, k)); },
      [&](auto, auto, auto k, auto j) { return read(b.at(0, 0, k, j)); }, epilogue);
}

template <class Case, gemm_extents... N>
void check_statics() {
  (check_static<Case, N>(0), ...);
  (check_static<Case, N>(3), ...);
}

}  // namespace

TEST_CASE_TEMPLATE("compile-time extents", Case, cpu_case, reference_case) {
  check_statics<Case, gemm_extents{8, 8, 8}, gemm_extents{16, 16, 16}, gemm_extents{1, 1, 1}, gemm_extents{7, 13, 11},
                gemm_extents{5, 33, 2}, gemm_extents{13, 16, 1}, gemm_extents{3, 31, 5}, gemm_extents{2, 3, 0},
                gemm_extents{0, 3, 2}, gemm_extents{3, 0, 2}, gemm_extents{32, 40, 9}>();
}
