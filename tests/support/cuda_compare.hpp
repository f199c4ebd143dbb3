// SPDX-License-Identifier: Apache-2.0
// The simulated GPU for device_compare.hpp: models compiled for it, and graphs whose kernels are looked up at run time.
//
// A graph runs three times, the threads of each block in another order each time. Inputs, outputs and arena lie in
// memory of their own that begins as NaN and ends at a page that may not be touched.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tkl/cuda.cuh>
#include <utility>
#include <vector>

#include "support/cuda_walked.hpp"
#include "support/device_run.hpp"

namespace tkl_test {

using device_target = tkl::cuda<>;

inline const tkl::cuda_context& device() {
  static const tkl::cuda_context* context = [] {
    auto c = tkl::cuda_context::make();
    return new tkl::cuda_context(std::move(*c));
  }();
  return *context;
}

/// Memory on the device with the bytes of `from`, or NaN.
inline tkl::cuda_memory_block device_memory(const void* from, std::int64_t bytes) {
  auto b = tkl::cuda_memory_block::allocate(bytes);
  if (from != nullptr && bytes > 0) std::copy_n(static_cast<const std::byte*>(from), bytes, b->data());
  return *b;
}

/// Runs one step of a plan as tkl::cuda_workspace does, its kernel looked up at run time. Empty, or the error.
template <tkl::work_item_schedule S, class F>
std::string run_walked_step(const tkl::device_plan& p, int i, const std::int32_t* tables, F address) {
  const tkl::step& s = p.steps[i];
  const tkl::kernel_key& k = p.keys[s.kernel];
  const tkl::cuda_launch l = tkl::cuda_launch_of(S, s, k, p.edges);
  if (l.empty()) return {};
  tkl::cuda_arguments a = tkl::cuda_arguments_of(s, p.edges, tables, l, address);
  void* arguments[] = {&a};
  walked_key() = k;
  const tkl::cuda_kernel kernel = walked_kernel<S>(k);
  const cudaError_t e =
      cudaLaunchKernel(kernel.function, dim3(l.grid[0], l.grid[1], l.grid[2]),
                       dim3(l.threads[0], l.threads[1], l.threads[2]), arguments, 0, device().stream());
  if (e != cudaSuccess) return tkl::cuda_failure("cudaLaunchKernel", e, kernel.name).message();
  return device().synchronise().message();
}

/// What a planned graph gives on the device, its kernels looked up at run time. `watch` sees the memory before and
/// behind each step.
template <tkl::work_item_schedule S = device_target::items, class Target, class Watch = unwatched>
device_run run_planned(const planned_graph<Target>& planned, const tkl::graph&, const std::vector<const void*>& inputs,
                       Watch&& watch = {}) {
  device_run r = planned.run;
  if (!r.good()) return r;
  const tkl::device_plan p = planned.plan(S);
  const tkl::device_tables tables(p);
  const auto weights = device_memory(planned.weights.data(), p.weights_bytes);
  const auto numbers = device_memory(tables.numbers.data(), static_cast<std::int64_t>(4 * tables.numbers.size()));
  std::vector<tkl::cuda_memory_block> in, out;
  for (int i = 0; i < p.input_count; ++i)
    in.push_back(device_memory(inputs[static_cast<std::size_t>(i)], tkl::buffer_bytes_of(p.input(i))));
  for (const auto order :
       {cuda_cpu::thread_order::forward, cuda_cpu::thread_order::reverse, cuda_cpu::thread_order::random}) {
    cuda_cpu::order = order;
    const auto arena = device_memory(nullptr, p.arena_bytes);
    out.clear();
    for (int i = 0; i < p.output_count; ++i) out.push_back(device_memory(nullptr, tkl::buffer_bytes_of(p.output(i))));
    const auto address = [&](const tkl::edge& e) {
      const tkl::cuda_memory_block& b = e.where == tkl::space::input    ? in[static_cast<std::size_t>(e.index)]
                                        : e.where == tkl::space::output ? out[static_cast<std::size_t>(e.index)]
                                        : e.where == tkl::space::arena  ? arena
                                                                        : weights;
      return b.data() + e.offset;
    };
    for (int i = 0; i < p.step_count && r.error.empty(); ++i) {
      watch.before(planned.program, i, address);
      r.error = run_walked_step<S>(
          p, i, reinterpret_cast<const std::int32_t*>(numbers.data()) + tables.at[static_cast<std::size_t>(i)],
          address);
      watch.after(i, address);
    }
    std::vector<std::vector<double>> outputs;
    for (int i = 0; i < p.output_count; ++i) {
      const std::int64_t bytes = tkl::buffer_bytes_of(p.output(i));
      std::vector<std::byte> copy(out[static_cast<std::size_t>(i)].data(),
                                  out[static_cast<std::size_t>(i)].data() + bytes);
      outputs.push_back(widened(copy, p.output(i).type));
    }
    if (!r.outputs.empty()) {
      for (std::size_t o = 0; o < outputs.size(); ++o)
        for (std::size_t i = 0; i < outputs[o].size(); ++i)
          if (outputs[o][i] != r.outputs[o][i] && outputs[o][i] == outputs[o][i])
            r.error = "the order of threads changes output " + std::to_string(o) + ", element " + std::to_string(i);
    }
    r.outputs = std::move(outputs);
  }
  cuda_cpu::order = cuda_cpu::thread_order::forward;
  return r;
}

/// The same of a graph with random weights.
template <tkl::work_item_schedule S = device_target::items, class Target = device_target, class Watch = unwatched>
device_run run_on_device(const tkl::graph& g, const std::vector<const void*>& inputs, Watch&& watch = {}) {
  return run_planned<S>(planned_graph<Target>(g), g, inputs, watch);
}

}  // namespace tkl_test

#include "support/device_compare.hpp"
