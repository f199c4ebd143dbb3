// SPDX-License-Identifier: Apache-2.0
// Element-wise functions by number, in double precision: for what runs once or as an oracle.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>

namespace tkl {

/// A function of up to three operands in double precision.
using real_function = double (*)(const double* operands);

static_assert(function_list::size <= 64, "masks of functions have 64 bits");
inline constexpr std::uint64_t all_functions = ~std::uint64_t{0};

TKL_ISA_BEGIN

namespace impl {

template <class F>
double call_in_double(const double* x) {
  if constexpr (F::arity == 1) {
    return F::call(x[0]);
  } else if constexpr (F::arity == 2) {
    return F::call(x[0], x[1]);
  } else {
    return F::call(x[0], x[1], x[2]);
  }
}

template <class F, std::uint64_t Mask>
constexpr real_function real_function_or_null() {
  if constexpr ((Mask >> function_index<F> & 1) != 0) {
    return &call_in_double<F>;
  } else {
    return nullptr;
  }
}

template <class List, std::uint64_t Mask>
struct real_function_table;
template <class... F, std::uint64_t Mask>
struct real_function_table<functor_list<F...>, Mask> {
  static constexpr real_function of[sizeof...(F)] = {real_function_or_null<F, Mask>()...};
};

}  // namespace impl

/// The functions of function_list by number; null where bit `number` of the mask is clear, so that a program that loads
/// weights holds only those that its weights need.
template <std::uint64_t Mask = all_functions>
inline constexpr const real_function* real_functions = impl::real_function_table<function_list, Mask>::of;

TKL_ISA_END
}  // namespace tkl
