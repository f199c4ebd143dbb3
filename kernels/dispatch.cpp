// SPDX-License-Identifier: Apache-2.0
// Which of the tables the kernels run from: chosen at the first call.
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tkl/core/status.hpp>
#include <tkl/kernels.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/level_choice.hpp>

#include "tables.hpp"

namespace tkl::kernels {
namespace {

constinit level_choice choice;

/// Levels of the tables; at most all that exist.
struct levels_built {
  std::array<cpu_level, std::size(cpu_levels)> at{};
  std::size_t count = 0;
  levels_built() {
    for (const table_at_level& t : built_tables()) at[count++] = t.level;
  }
  operator std::span<const cpu_level>() const { return {at.data(), count}; }
};

}  // namespace

result<cpu_level> level() {
  return choice.current(levels_built());
}

status select_level(std::string_view level) {
  return choice.select(level, "tkl::kernels::select_level", levels_built()).error();
}

const table* chosen_table() {
  std::optional<cpu_level> chosen = choice.chosen();
  if (!chosen) {
    const result<cpu_level> first = level();
    if (!first) return nullptr;
    chosen = *first;
  }
  const table* functions = nullptr;
  for (const table_at_level& t : built_tables())
    if (t.level == *chosen) functions = t.functions;
  return functions;
}

}  // namespace tkl::kernels
