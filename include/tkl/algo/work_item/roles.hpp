// SPDX-License-Identifier: Apache-2.0
// The algorithms of this folder say what ONE work item computes; a machine of work items (target/opencl_machine.hpp)
// runs or writes it for all of them. They share with the CPU's algorithms what does not depend on who walks the loops:
// expressions and their functions, monoids, packed weights, sources of a resize.
//
// A machine M of work items has
//   value, one, integer      numbers: a vector of item_width lanes, one lane, and a 32-bit index; all with operators
//   item(d)                  index of the work item along dimension d: columns, pixels, lines
//   extent(r, axis), stride(r, axis), parameter(p, i), real(i)           numbers of the step
//   load(r, i), load(r, i, lanes), load_one(r, i), load_each(r, i[4]), load_inside(r, i, first, extent, fill)
//   table(i, field), table_float(i, field)   what the host has prepared for the step: triples of 32-bit numbers
//   splat(v), splat_one(x), lane(v, k), join_lanes(v[4], k), keep_first(v, lanes, fill), select(c, a, b)
//   variable(x), assign(d, x), mac(d, a, b)                              what changes in a loop
//   loop(begin, end, step, f), when(c, f), when(c, f, g)                 f is called with the index, or nothing
//   converted(v, at)         the prologue of one loaded element; the place is that of the input
//   finish(v, at, end)       the epilogue at a place, stored; columns from `end` on are left alone
//   team, team_place()       threads that share the item of a row, and which of them this is
//   if_leading(c), when_leading(f), fold_team<P>(v)      what only the first does; one lane of each of them combined
// and where it can compute in half precision
//   multiplies_in_half(), in_half(f), half_sum(), from_half(v), load_eight(r, i), four_of(v, part)
//   columns()                that an item of an element-wise step computes, else item_width
// Indices are elements from the start of a role's tensor. A condition is an integer, 1 or 0, or
// a bool where the machine computes: they are joined as integers.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/schedule/work_item.hpp>

namespace tkl {

/// The tensors of a step; `operand` and `prologue` are those that its two expressions read.
enum class role : std::uint8_t { in, second, third, mask, weights, out, operand, prologue };

/// Numbers of step_parameters that an item reads.
enum class parameter : std::uint8_t { kernel, stride, dilation, pad, groups, include_pad, heads, reach };

/// Items along each dimension that a kernel needs.
struct item_counts {
  std::int64_t count[3]{1, 1, 1};
};

/// A place of the output: indices along the outer axes, and the first column.
template <class M>
struct item_place {
  typename M::integer n, h, w, c;
};

/// Items for an output of those extents when each computes `columns` columns of `pixels` places.
constexpr item_counts items_of_output(const std::int32_t* extent, int columns, int pixels) {
  const auto parts = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
  return {{parts(extent[3], columns), parts(extent[2], pixels), std::int64_t{extent[0]} * extent[1]}};
}

/// The same where columns come in `groups` groups, none of which shares an item with its neighbour.
constexpr item_counts items_of_groups(const std::int32_t* extent, int groups, int columns, int pixels) {
  item_counts n = items_of_output(extent, columns, pixels);
  const std::int64_t own = extent[3] / groups;
  n.count[0] = groups * ((own + columns - 1) / columns);
  return n;
}

/// Calls body(place of the item's first output) for the items that have one: groups are rounded up, so some have not.
template <class M, class F>
constexpr void for_place(M& m, int columns, int pixels, F body) {
  using integer = typename M::integer;
  const integer c = m.item(0) * columns, w = m.item(1) * pixels, line = m.item(2);
  const integer height = m.extent(role::out, 1);
  const integer inside =
      integer(c < m.extent(role::out, 3)) & (w < m.extent(role::out, 2)) & (line < m.extent(role::out, 0) * height);
  m.when(inside, [&] { body(item_place<M>{line / height, line % height, w, c}); });
}

/// Calls body(group, first column within the group, columns of a group, place) for the items that have a place.
template <class M, class F>
constexpr void for_grouped_place(M& m, const typename M::integer& groups, int columns, int pixels, F body) {
  using integer = typename M::integer;
  const integer own = m.extent(role::out, 3) / groups, blocks = (own + (columns - 1)) / columns;
  const integer item = m.item(0), group = item / blocks, column = item % blocks * columns;
  const integer w = m.item(1) * pixels, line = m.item(2), height = m.extent(role::out, 1);
  const integer inside =
      integer(group < groups) & (w < m.extent(role::out, 2)) & (line < m.extent(role::out, 0) * height);
  m.when(inside, [&] {
    body(group, column, own, item_place<M>{line / height, line % height, w, group * own + column});
  });
}

/// Index of the first column of place n, h, w in a tensor with the output's axes.
template <class M>
constexpr typename M::integer row_index(M& m, role r, const typename M::integer& n, const typename M::integer& h,
                                        const typename M::integer& w) {
  return n * m.stride(r, 0) + h * m.stride(r, 1) + w * m.stride(r, 2);
}

}  // namespace tkl
