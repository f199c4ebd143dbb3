// SPDX-License-Identifier: Apache-2.0
// How work is cut for machines that run a kernel once per work item: what one item computes, and the shape of a group.
#pragma once

namespace tkl {

/// Numbers that a work item loads and computes at a time, along columns.
inline constexpr int item_width = 4;

/// Products that are summed in half precision, where a machine multiplies so, before their sum is added in f32.
inline constexpr int item_half_products = 8;

/// One work item computes `pixels` places by `vectors` vectors of item_width columns. `group`: items of a work group
/// along columns, along pixels, along lines; a wish that the device's limits may shrink. `half_vector`: numbers that an
/// item loads and stores at a time where it computes in half precision, item_width or item_half_products.
/// `literal_extents`: the extents of a step's tensors are numbers in its text, not arguments (texts of OpenCL alone):
/// steps share a kernel no longer that differ in one of them.
struct work_item_schedule {
  int pixels = 4;
  int vectors = 1;
  int group[3]{8, 8, 1};
  int half_vector = item_width;
  bool literal_extents = false;
  constexpr bool operator==(const work_item_schedule&) const = default;

  constexpr int group_items() const { return group[0] * group[1] * group[2]; }
  /// 32-bit registers of the inner loop of a contraction: the sums, one vector of each row of the first operand, one
  /// of each vector of the second, and an address for each of them.
  constexpr int registers() const { return item_width * (pixels * vectors + pixels + vectors) + pixels + vectors; }
  /// The same where products are summed in half precision, two numbers in a register, beside the sums in f32; in
  /// vectors of four as above, in vectors of eight with all rows of the second operand and one pixel at a time.
  constexpr int registers_in_half() const {
    const int sums = item_width * pixels * vectors, addresses = pixels + vectors;
    if (half_vector == item_width) return sums + sums / 2 + item_width / 2 * (pixels + vectors) + addresses;
    return sums + item_width / 2 * vectors + half_vector / 2 * (item_width * vectors + 1) + addresses;
  }
};

/// A schedule is usable at all.
template <work_item_schedule S>
concept valid_work_item_schedule = S.pixels >= 1 && S.pixels <= 16 && S.vectors >= 1 && S.vectors <= 4 &&
                                   S.group[0] >= 1 && S.group[1] >= 1 && S.group[2] >= 1 &&
                                   (S.half_vector == item_width || S.half_vector == item_half_products);

/// The inner loop of a contraction spills nothing on Arch.
template <work_item_schedule S, class Arch>
concept item_fits_registers = valid_work_item_schedule<S> && S.registers() <= Arch::facts.registers;

/// The same in half precision, and what an item loads at a time is one load of Arch.
template <work_item_schedule S, class Arch>
concept item_fits_in_half = valid_work_item_schedule<S> && S.registers_in_half() <= Arch::facts.registers &&
                            2 * S.half_vector <= Arch::facts.load_bytes;

/// A work group fits what every device of Arch runs.
template <work_item_schedule S, class Arch>
concept group_fits = S.group_items() <= Arch::facts.group_items;

}  // namespace tkl
