// SPDX-License-Identifier: Apache-2.0
// A compiled plan as the run times of devices see it: data only.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {

struct device_plan {
  const step* steps = nullptr;
  int step_count = 0;
  const edge* edges = nullptr;
  const kernel_key* keys = nullptr;
  int kernel_count = 0;
  const std::int16_t* inputs = nullptr;
  int input_count = 0;
  const std::int16_t* outputs = nullptr;
  int output_count = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t weights_bytes = 0;
  const char* names = nullptr;
  work_item_schedule schedule{};

  constexpr const edge& input(int i) const { return edges[inputs[i]]; }
  constexpr const edge& output(int i) const { return edges[outputs[i]]; }
  std::string_view name_of_step(const step& s) const {
    return s.name >= 0 ? std::string_view(names + s.name) : std::string_view();
  }
};

/// Bytes of the buffer behind an input or output.
constexpr std::int64_t buffer_bytes_of(const edge& e) {
  auto n = static_cast<std::int64_t>(size_of(e.type));
  for (std::int32_t x : e.extent) n *= x;
  return n;
}

/// The edge behind a role of a step; -1 where it has none. `slot`: which operand.
constexpr std::int16_t edge_of(role r, int slot, const step& s) {
  switch (r) {
    case role::in:
      return s.in[0];
    case role::second:
      return s.in[1];
    case role::third:
      return s.in[2];
    case role::mask:
      return s.in[3];
    case role::weights:
      return s.weight;
    case role::out:
      return s.out;
    case role::operand:
      return s.operand[slot];
    case role::prologue:
      return s.prologue_operand[slot];
  }
  return -1;
}

}  // namespace tkl
