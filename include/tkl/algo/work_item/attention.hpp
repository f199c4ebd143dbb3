// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention, one work item: item_width values of one head of one query.
//
//   largest = -infinity, total = 0, sums = 0
//   for key in reach of the query:
//     score = scale * (q . k) + mask
//     largest' = max(largest, score);  e = e^(score - largest');  shrink = e^(largest - largest')
//     total = total * shrink + e;      sums = sums * shrink + e * v[key]
//   y = epilogue(sums / total), store
//
// The online softmax of algo/attention.hpp. Every item computes the scores of its query again: sharing them would need
// memory that only a group sees, which Mali does not have, or a matrix of all scores. A query whose every score is
// -infinity gives zeros. Several query heads in a row may share one head of keys and values.
#pragma once

#include <limits>
#include <tkl/algo/work_item/rows.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <bool Masked, class M>
constexpr void attention_item(M& m) {
  using integer = typename M::integer;
  using value = typename M::value;
  using one = typename M::one;
  const integer heads = m.parameter(parameter::heads, 0);
  for_grouped_place(
      m, heads, item_width, 1,
      [&](const integer& head, const integer& column, const integer& values, const item_place<M>& p) {
        const integer depth = m.extent(role::in, 3) / heads, whole = depth / item_width * item_width;
        const integer query = row_index(m, role::in, p.n, p.h, p.w) + head * depth;
        // What the loop reads of head and column, so that few values live in it.
        const integer shared = head / (heads / m.parameter(parameter::groups, 0));
        const integer keys_from = shared * depth, values_from = shared * values + column, room = values - column;
        const integer reached = m.least(m.extent(role::second, 2), p.w + m.parameter(parameter::reach, 0) + 1);
        const one lowest = math<one>::constant(std::numeric_limits<float>::lowest());
        const one zero = math<one>::constant(0.0f);
        one largest = m.variable(m.splat_one(-std::numeric_limits<float>::infinity()));
        one total = m.variable(m.splat_one(0.0f));
        value sum = m.variable(m.constant(0.0f));
        m.loop(m.index(0), reached, 1, [&](const integer& key) {
          const integer at = row_index(m, role::second, p.n, p.h, key) + keys_from;
          value products = m.variable(m.constant(0.0f));
          one rest = m.variable(m.splat_one(0.0f));
          m.loop(m.index(0), whole, item_width,
                 [&](const integer& d) { m.mac(products, m.load(role::in, query + d), m.load(role::second, at + d)); });
          m.loop(whole, depth, 1, [&](const integer& d) {
            m.assign(rest, math<one>::fma(m.load_one(role::in, query + d), m.load_one(role::second, at + d), rest));
          });
          one score = (impl::fold_lanes<monoid::sum>(m, products) + rest) * m.real(0);
          if constexpr (Masked) {
            const integer batch = p.n * m.extent(role::out, 1) + p.h;
            score = score + m.load_one(role::mask, batch * m.stride(role::mask, 0) + head * m.stride(role::mask, 1) +
                                                       p.w * m.stride(role::mask, 2) + key * m.stride(role::mask, 3));
          }
          const one now = (math<one>::max)(largest, score), base = math<one>::at_least(now, lowest);
          const one e = math<one>::exp_nonpositive(score - base), shrink = math<one>::exp_nonpositive(largest - base);
          m.assign(largest, now);
          m.assign(total, math<one>::fma(total, shrink, e));
          const value v = m.load(role::third, row_index(m, role::third, p.n, p.h, key) + values_from, room);
          m.assign(sum, math<value>::fma(sum, m.splat(shrink), m.splat(e) * v));
        });
        const one share = math<one>::select_equal(total, zero, zero, math<one>::div(math<one>::constant(1.0f), total));
        m.finish(sum * m.splat(share), p, p.c + room);
      });
}

TKL_ISA_END
}  // namespace tkl
