// SPDX-License-Identifier: Apache-2.0
// What the kernels of a plan need of an OpenCL device: known when the program compiles, but for the bytes of arguments
// of a text that is written later. No OpenCL header is needed here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/opencl_precision.hpp>

namespace tkl {

/// Compared with what the device says, never with its name.
struct opencl_needs {
  std::int64_t largest_buffer = 0;  // bytes
  std::int64_t memory = 0;          // bytes of all buffers
  std::int64_t argument_bytes = 0;  // of one kernel
  int dimensions = 3;               // of work items
  int group_items = 1;  // of a work group: no kernel depends on its group, which is cut to what a device runs
  int alignment = 1;    // bytes; where buffers begin: vectors are loaded from any element on
  bool half = false;    // arithmetic in half precision: cl_khr_fp16 that rounds to nearest
};

constexpr opencl_needs opencl_needs_of(const device_plan& plan, opencl_precision precision) {
  opencl_needs needs;
  needs.largest_buffer = (std::max)(plan.arena_bytes, plan.weights_bytes);
  needs.memory = plan.arena_bytes + plan.weights_bytes;
  const auto caller = [&](const edge& e) {
    needs.largest_buffer = (std::max)(needs.largest_buffer, buffer_bytes_of(e));
    needs.memory += buffer_bytes_of(e);
  };
  for (int i = 0; i < plan.input_count; ++i) caller(plan.input(i));
  for (int i = 0; i < plan.output_count; ++i) caller(plan.output(i));
  for (int i = 0; i < plan.kernel_count; ++i) {
    const kernel_key& k = plan.keys[i];
    needs.half = needs.half || computes_in_half(k, precision);
    for (const element e : {k.in, k.out, k.weights})
      needs.alignment = (std::max)(needs.alignment, static_cast<int>(size_of(e)));
  }
  return needs;
}

}  // namespace tkl
