// SPDX-License-Identifier: Apache-2.0
// kernel<algorithm>: how a step of a plan becomes a call of its algorithm. One specialisation per algorithm, in
// exec/kernels_*.hpp; each has
//   scratch_bytes<Arch, Machine>(step, edges)   scratch that one worker needs, constexpr
//   run<Key, Arch, Machine>(step, context)
#pragma once

#include <cstdint>
#include <tkl/algo/strided4.hpp>
#include <tkl/exec/run_context.hpp>

namespace tkl {

constexpr strided_shape strided_shape_of(const edge& e) {
  strided_shape s;
  for (int i = 0; i < 4; ++i) s.extent[i] = e.extent[i];
  for (int i = 0; i < 3; ++i) s.stride[i] = e.stride[i];
  return s;
}

TKL_ISA_BEGIN

template <algorithm A>
struct kernel;

/// What a kernel without scratch inherits.
struct no_scratch {
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step&, const edge*) {
    return 0;
  }
};

/// The epilogue of a step as an expression.
template <kernel_key K, class X>
auto epilogue_of(const step& s, const run_context<X>& c) {
  return bind<K.epilogue>(operands_of(K.epilogue, s.operand, s.literal, c));
}

/// The prologue of a step as an expression.
template <kernel_key K, class X>
auto prologue_of(const step& s, const run_context<X>& c) {
  return bind<K.prologue>(operands_of(K.prologue, s.prologue_operand, s.prologue_literal, c));
}

template <class T, class C>
strided4<T> strided_view(const C& c, std::int16_t e) {
  return {c.template data<T>(e), strided_shape_of(c.edges[e])};
}

TKL_ISA_END
}  // namespace tkl
