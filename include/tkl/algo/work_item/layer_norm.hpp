// SPDX-License-Identifier: Apache-2.0
// Layer normalisation along columns, one work item: one row.
//
//   d = mean of x[c] - a, with a = x[0]                       pass 1
//   v = mean of (x[c] - a - d)^2 - (what is left of the mean)^2   pass 2
//   y[c] = epilogue((x[c] - a - d) / sqrt(v + eps))           pass 3
//
// The shifted data algorithm of algo/layer_norm.hpp, with the second shift always: a branch between rows would keep
// threads of one warp waiting for each other. y may be x.
#pragma once

#include <tkl/algo/work_item/rows.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class M>
constexpr void layer_norm_item(M& m) {
  using value = typename M::value;
  using one = typename M::one;
  impl::for_row(m, [&](const item_place<M>& p) {
    const auto columns = m.extent(role::out, 3);
    const auto first = row_index(m, role::in, p.n, p.h, p.w);
    const one share = math<one>::div(math<one>::constant(1.0f), m.number(columns));
    const value start = m.splat(m.load_one(role::in, first));
    const auto mean = [&](auto f) { return impl::item_row<monoid::sum>(m, first, columns, f) * share; };
    const value centre = start + m.splat(mean([&](const value& v) { return v - start; }));
    const one drift = mean([&](const value& v) { return v - centre; });
    const one square = mean([&](const value& v) {
      const value d = v - centre;
      return d * d;
    });
    const one variance = math<one>::at_least(square - drift * drift, math<one>::constant(0.0f));
    const value scale = m.splat(math<one>::div(math<one>::constant(1.0f), math<one>::sqrt(variance + m.real(0))));
    const value offset = -m.splat(drift) * scale;
    impl::finish_item_row(m, p, first, columns,
                          [&](const value& v) { return math<value>::fma(v - centre, scale, offset); });
  });
}

TKL_ISA_END
}  // namespace tkl
