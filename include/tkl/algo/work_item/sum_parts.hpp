// SPDX-License-Identifier: Apache-2.0
// The output of a step whose depth was cut into parts: their sums, added in the order of the parts, and the epilogue.
//
//   for place (n, h, w, c):   out = epilogue(in[0 batch + n, h, w, c] + in[1 batch + n, h, w, c] + ...)
#pragma once

#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/schedule/work_item.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <class M>
constexpr void sum_parts_item(M& m) {
  using integer = typename M::integer;
  const integer batch = m.extent(role::out, 0), end = m.extent(role::out, 3);
  for_place(m, item_width, 1, [&](const item_place<M>& at) {
    const integer first = row_index(m, role::in, at.n, at.h, at.w) + at.c, lanes = end - at.c;
    const integer apart = batch * m.stride(role::in, 0);
    auto sum = m.variable(m.load(role::in, first, lanes));
    m.loop(m.index(1), m.extent(role::in, 0) / batch, 1,
           [&](const integer& part) { m.assign(sum, sum + m.load(role::in, first + part * apart, lanes)); });
    m.finish(sum, at, end);
  });
}

TKL_ISA_END
}  // namespace tkl
