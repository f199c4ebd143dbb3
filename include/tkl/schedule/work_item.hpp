// SPDX-License-Identifier: Apache-2.0
// How work is cut for machines that run a kernel once per work item: what one item computes, and the shape of a group.
#pragma once

namespace tkl {

/// Numbers that a work item loads and computes at a time, along columns.
inline constexpr int item_width = 4;

/// Products that are summed in half precision, where a machine multiplies so, before their sum is added in f32.
inline constexpr int item_half_products = 8;

/// One work item computes `pixels` places by `vectors` vectors of item_width columns. `group`: items of a work group
/// along columns, along pixels, along lines; a wish that the device's limits may shrink.
struct work_item_schedule {
  int pixels = 4;
  int vectors = 1;
  int group[3]{8, 8, 1};
  constexpr bool operator==(const work_item_schedule&) const = default;

  constexpr int group_items() const { return group[0] * group[1] * group[2]; }
  /// 32-bit registers of the inner loop of a contraction: the sums, one vector of each row of the first operand, one
  /// of each vector of the second, and an address for each of them.
  constexpr int registers() const { return item_width * (pixels * vectors + pixels + vectors) + pixels + vectors; }
};

/// A schedule is usable at all.
template <work_item_schedule S>
concept valid_work_item_schedule = S.pixels >= 1 && S.pixels <= 16 && S.vectors >= 1 && S.vectors <= 4 &&
                                   S.group[0] >= 1 && S.group[1] >= 1 && S.group[2] >= 1;

/// The inner loop of a contraction spills nothing on Arch.
template <work_item_schedule S, class Arch>
concept item_fits_registers = valid_work_item_schedule<S> && S.registers() <= Arch::facts.registers;

/// A work group fits what every device of Arch runs.
template <work_item_schedule S, class Arch>
concept group_fits = S.group_items() <= Arch::facts.group_items;

}  // namespace tkl
