// SPDX-License-Identifier: Apache-2.0
// A CPU behind an OpenCL driver (PoCL) as data: one work item after the other on one core, in vectors of four.
//
// The tile fills the 16 vector registers of x86 and half of Arm's. A group goes down 64 rows before it takes the next
// columns, so that what it loads of the second operand is used again while it is in the cache.
#pragma once

#include <string_view>
#include <tkl/schedule/work_item.hpp>

namespace tkl {

struct opencl_cpu_facts {
  int registers = 64;  // 32-bit lanes of all vector registers
  int cache_bytes = 32768;
  int group_items = 4096;
};

namespace arch {

struct opencl_cpu {
  static constexpr std::string_view name = "opencl_cpu";
  static constexpr opencl_cpu_facts facts{};
  static constexpr work_item_schedule items{.pixels = 4, .vectors = 2, .group = {4, 16, 1}};
};
static_assert(item_fits_registers<opencl_cpu::items, opencl_cpu> && group_fits<opencl_cpu::items, opencl_cpu>);

}  // namespace arch
}  // namespace tkl
