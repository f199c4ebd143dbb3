// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along columns, one work item: one row.
//
//   m = max(x)                                   pass 1
//   s = sum of exp(x[c] - m)                     pass 2
//   y[c] = epilogue(exp(x[c] - m) / s)           pass 3 computes exp again: no array to keep it in
//   logarithm: y[c] = epilogue(x[c] - m - log(s))
//
// The arithmetic of a row with infinities or NaN is that of the CPU's algorithm. y may be x.
#pragma once

#include <tkl/algo/softmax.hpp>
#include <tkl/algo/work_item/rows.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <softmax_kind K, class M>
constexpr void softmax_item(M& m) {
  using value = typename M::value;
  impl::for_row(m, [&](const item_place<M>& p) {
    const auto columns = m.extent(role::out, 3);
    const auto first = row_index(m, role::in, p.n, p.h, p.w);
    const value largest =
        m.splat(impl::item_row<monoid::max_of_numbers>(m, first, columns, [](const value& v) { return v; }));
    const auto exponential = [&](const value& v) { return math<value>::exp_nonpositive(v - largest); };
    const value sum = m.splat(impl::item_row<monoid::sum>(m, first, columns, exponential));
    if constexpr (K == softmax_kind::logarithm) {
      const value shift = math<value>::log(sum);
      impl::finish_item_row(m, p, first, columns, [&](const value& v) { return (v - largest) - shift; });
    } else {
      const value scale = math<value>::div(math<value>::constant(1.0f), sum);
      impl::finish_item_row(m, p, first, columns, [&](const value& v) { return exponential(v) * scale; });
    }
  });
}

TKL_ISA_END
}  // namespace tkl
