// SPDX-License-Identifier: Apache-2.0
// A constant border, one work item: item_width columns of one row.
//
//   accumulator = the input where it exists, the border's value elsewhere
//   epilogue, store
#pragma once

#include <tkl/algo/work_item/roles.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class M>
constexpr void pad_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  for_place(m, item_width, 1, [&](const item_place<M>& p) {
    const integer at[3] = {p.n - m.parameter(parameter::pad, 0), p.h - m.parameter(parameter::pad, 1),
                           p.w - m.parameter(parameter::pad, 2)};
    integer inside = m.index(1);
    for (int i = 0; i < 3; ++i) {
      const integer here = integer(at[i] >= 0) & (at[i] < m.extent(role::in, i));
      inside = i == 0 ? here : inside & here;
    }
    const integer first = p.c - m.parameter(parameter::pad, 3);
    const value fill = m.splat(m.real(0));
    value v = m.variable(fill);
    m.when(inside, [&] {
      m.assign(v, m.load_inside(role::in, row_index(m, role::in, at[0], at[1], at[2]), first, m.extent(role::in, 3),
                                m.real(0)));
    });
    m.finish(v, p, m.extent(role::out, 3));
  });
}

TKL_ISA_END
}  // namespace tkl
