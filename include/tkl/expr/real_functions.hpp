// SPDX-License-Identifier: Apache-2.0
// Element-wise functions by number, in double precision: for what runs once or as an oracle.
#pragma once

#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>

namespace tkl {
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

template <class... F>
double call_by_number(functor_list<F...>, int number, const double* x) {
  static constexpr double (*functions[])(const double*) = {&call_in_double<F>...};
  return functions[number](x);
}

}  // namespace impl

/// Result of function `number` of function_list on its operands.
inline double call_function(int number, const double* operands) {
  return impl::call_by_number(function_list{}, number, operands);
}

TKL_ISA_END
}  // namespace tkl
