// SPDX-License-Identifier: Apache-2.0
// Element-wise map, one work item: item_width columns of one row, or as many as the machine says.
//
//   y[n, h, w, c...] = expression
//
// The plan has merged the axes. Columns of the output may be apart: finish() stores them so.
#pragma once

#include <tkl/algo/work_item/roles.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class M>
constexpr void map_item(M& m) {
  int columns = item_width;
  if constexpr (requires { m.columns(); }) columns = m.columns();
  for_place(m, columns, 1,
            [&](const item_place<M>& p) { m.finish(m.variable(m.constant(0.0f)), p, m.extent(role::out, 3)); });
}

TKL_ISA_END
}  // namespace tkl
