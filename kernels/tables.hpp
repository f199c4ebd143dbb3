// SPDX-License-Identifier: Apache-2.0
// The tables of kernels that are built into the library, one for each level, in rising order.
#pragma once

#include <span>
#include <tkl/kernels.hpp>
#include <tkl/runtime/cpu_level.hpp>

namespace tkl::kernels {

struct table_at_level {
  cpu_level level;
  const table* functions;
};

/// Written by the build (tables.cpp.in).
std::span<const table_at_level> built_tables();

}  // namespace tkl::kernels
