// SPDX-License-Identifier: Apache-2.0
// A step as launches on a stream: what its kernel takes, which kernel that is, and a second one where the depth was
// cut.
//
// Tensor cores take the steps that suit them (exec/cuda_tile_launch.hpp) and whose operands begin at multiples of 16
// bytes: warpgroups where they can, else warps. All others are run by work items.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/cuda_error.cuh>
#include <tkl/exec/cuda_launch.hpp>
#include <tkl/exec/cuda_model.cuh>

namespace tkl {
TKL_ISA_BEGIN

/// What the kernel of a step takes. address(edge): where an edge begins on the device.
template <class F>
cuda_arguments cuda_arguments_of(const step& s, const edge* edges, const std::int32_t* tables, const cuda_launch& l,
                                 F address) {
  cuda_arguments a;
  const auto tensor = [&](cuda_tensor& t, std::int16_t e) {
    if (e < 0) return;
    t.data = address(edges[e]);
    for (int i = 0; i < plan_rank; ++i) {
      t.extent[i] = edges[e].extent[i];
      t.stride[i] = edges[e].stride[i];
    }
  };
  for (int i = 0; i < step_inputs; ++i) tensor(a.in[i], s.in[i]);
  tensor(a.out, s.out);
  if (s.weight >= 0) a.weights = address(edges[s.weight]);
  a.tables = tables;
  a.parameters = s.parameters;
  for (int i = 0; i < 3; ++i) a.blocks[i] = l.blocks[i];
  const auto operands = [&](operand_values& values, const auto& operand, const auto& literal) {
    int i = 0;
    for (const std::int16_t o : operand) {
      operand_value& v = values.slot[i];
      v.value = literal[i];
      v.inner = literal[i] >= 0 && literal[i] <= 3 ? static_cast<std::int64_t>(literal[i]) : 0;  // axis of an index
      ++i;
      if (o < 0) continue;
      const edge& e = edges[o];
      v.data = address(e);
      for (int k = 0; k < 3; ++k) v.stride[k] = e.stride[k];
      v.inner = e.stride[3];
    }
  };
  operands(a.operands, s.operand, s.literal);
  operands(a.prologue, s.prologue_operand, s.prologue_literal);
  return a;
}

/// Whether the operands of a contraction begin at multiples of 16 bytes.
inline bool operands_are_aligned(const cuda_arguments& a) {
  const auto at = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return (at(a.in[0].data) | at(a.in[1].data) | at(a.weights)) % 16 == 0;
}

/// The launch of a step.
constexpr cuda_launch cuda_launch_of(const work_item_schedule& schedule, const step& s, const kernel_key& k,
                                     const edge* edges) {
  return cuda_launch_of(items_of_step(schedule, s, k, edges), cuda_block_threads, shares_items(k) ? cuda_team : 1);
}

namespace impl {

template <class P>
cudaError_t launch_kernel(void (*function)(P), const cuda_launch& l, int shared_bytes, P& argument, cudaStream_t s) {
  void* arguments[] = {&argument};
  return cudaLaunchKernel(function, dim3(l.grid[0], l.grid[1], l.grid[2]),
                          dim3(l.threads[0], l.threads[1], l.threads[2]), arguments,
                          static_cast<std::size_t>(shared_bytes), s);
}

/// The sums of parts as a tensor: those of the first, then those of the second, along the batch axis.
inline cuda_tensor parts_tensor(const cuda_tensor& out, const void* data, std::uint32_t parts) {
  cuda_tensor t{data, {static_cast<std::int32_t>(parts) * out.extent[0], out.extent[1], out.extent[2], out.extent[3]}};
  t.stride[3] = 1;
  for (int i = 3; i > 0; --i) t.stride[i - 1] = t.stride[i] * t.extent[i];
  return t;
}

}  // namespace impl

/// Launches step i of a model on its stream. `partials`: the caller's memory for sums of parts.
template <class F>
TKL_COLD status launch_step(const cuda_model& model, int i, std::byte* partials, F address) {
  const device_plan& p = model.plan();
  const step& s = p.steps[i];
  const kernel_key& key = p.keys[s.kernel];
  const cuda_kernel& k = model.kernel_of(s);
  const cudaStream_t stream = model.context().stream();
  const cuda_launch items = cuda_launch_of(p.schedule, s, key, p.edges);
  if (items.empty()) return {};
  cuda_arguments a = cuda_arguments_of(s, p.edges, model.tables(i), items, address);
  const auto outcome = [&](cudaError_t e) {
    return e == cudaSuccess ? status{} : cuda_failure("cudaLaunchKernel", e, k.name, i, p.name_of_step(s));
  };
  const bool aligned = k.launches != nullptr && operands_are_aligned(a);
  const cuda_tile_launches tiles = aligned ? k.launches(s, key, p.edges) : cuda_tile_launches{};
  const bool by_ring = !tiles.ring.empty();
  const cuda_launch& l = by_ring ? tiles.ring : tiles.tiles;
  if (l.empty()) return outcome(impl::launch_kernel(k.function, items, 0, a, stream));

  for (int d = 0; d < 3; ++d) a.blocks[d] = l.blocks[d];
  const bool cut = l.blocks[2] > 1;
  const cuda_tensor out = a.out, parts = impl::parts_tensor(out, partials, l.blocks[2]);
  if (cut) {
    a.out = parts;
    a.out.extent[0] = out.extent[0];  // of one part
  }
  cudaError_t e = cudaSuccess;
  if (by_ring) {
    cuda_ring_arguments r{{}, model.tiles(i), ring_space_of(k.ring_schedule, s, p.edges), a};
    const CUresult encoded = model.maps().encode_input(r.in, k.ring_schedule, r.space, s, p.edges, a.in[0].data);
    if (encoded != CUDA_SUCCESS) {
      message_text m = cuda_call_text("cuTensorMapEncodeTiled", k.name, i, p.name_of_step(s));
      const tile_contraction c = contraction_of(s, p.edges);
      return status::failure(m << "error " << static_cast<std::int64_t>(encoded) << " of the driver for " << c.places
                               << " places of " << c.depth << " channels");
    }
    e = impl::launch_kernel(cut ? k.ring_parts : k.ring, l, k.ring_schedule.shared_bytes(), r, stream);
  } else {
    e = impl::launch_kernel(cut ? k.tile_parts : k.tiles, l, k.shared_bytes(), a, stream);
  }
  if (e != cudaSuccess || !cut) return outcome(e);
  const cuda_launch sums = cuda_launch_of(items_of_output(out.extent, item_width, 1), cuda_block_threads, 1);
  a.in[0] = parts;
  a.out = out;
  for (int d = 0; d < 3; ++d) a.blocks[d] = sums.blocks[d];
  return outcome(impl::launch_kernel(k.sums, sums, 0, a, stream));
}

TKL_ISA_END
}  // namespace tkl
