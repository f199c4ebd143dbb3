// SPDX-License-Identifier: Apache-2.0
// What a model owns on a device and all its callers share: its kernels, and one block of memory with its weights, the
// tables of its steps, the weights as tiles for those steps that warpgroups run, and the memory of the first caller.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/cuda_context.cuh>
#include <tkl/exec/cuda_needs.hpp>
#include <tkl/exec/cuda_tensor_map.cuh>
#include <tkl/exec/cuda_weight_tiles.hpp>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/device_tables.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// Distance of parts of a block of memory: as far apart as what cudaMalloc gives.
inline constexpr std::int64_t cuda_alignment = 256;

/// Bytes of the inputs and outputs of one caller, and of the sums of parts of a depth.
constexpr std::int64_t cuda_place_bytes(const device_plan& p, std::int64_t partial_bytes) {
  std::int64_t n = round_up(partial_bytes, cuda_alignment);
  for (int i = 0; i < p.input_count; ++i) n += round_up(buffer_bytes_of(p.input(i)), cuda_alignment);
  for (int i = 0; i < p.output_count; ++i) n += round_up(buffer_bytes_of(p.output(i)), cuda_alignment);
  return n;
}
/// Bytes that one caller needs: the arena, then its places.
constexpr std::int64_t cuda_caller_bytes(const device_plan& p, std::int64_t partial_bytes) {
  return round_up(p.arena_bytes, cuda_alignment) + cuda_place_bytes(p, partial_bytes);
}

class cuda_model {
 public:
  /// Checks the device, allocates, and uploads. `weights`: the plan's packed weights, on the host; not needed
  /// afterwards. `needs`: of the plan. `with_caller`: with memory for the first caller.
  TKL_COLD static result<cuda_model> make(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                          const std::byte* weights, const cuda_needs& needs, bool with_caller) {
    return make(c, plan, kernels, weights, needs, with_caller, nullptr);
  }
  /// The same with the weights of another shape of the model, which are on the device already; those that only this
  /// shape reads as tiles are added.
  TKL_COLD static result<cuda_model> share(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                           const std::byte* weights, const cuda_model& other, const cuda_needs& needs) {
    return make(c, plan, kernels, weights, needs, false, &other);
  }

  const cuda_context& context() const { return context_; }
  const device_plan& plan() const { return plan_; }
  const cuda_kernel& kernel_of(const step& s) const { return shared_->kernels[static_cast<std::size_t>(s.kernel)]; }
  std::byte* weights() const { return weights_.get(); }
  /// The tables of step i.
  const std::int32_t* tables(int i) const {
    return reinterpret_cast<const std::int32_t*>(shared_->memory.data() + shared_->tables_at) +
           shared_->table_of_step[static_cast<std::size_t>(i)];
  }
  /// The weights of step i as tiles; null where warpgroups do not run it.
  const std::byte* tiles(int i) const {
    const int tiles = shared_->tiles_of_step[static_cast<std::size_t>(i)];
    return tiles < 0 ? nullptr : shared_->tiles[static_cast<std::size_t>(tiles)].data;
  }
  const cuda_tensor_maps& maps() const { return shared_->maps; }
  /// Of a caller's memory, for the sums of parts of a depth: its last bytes.
  std::int64_t partial_bytes() const { return shared_->partial_bytes; }

  /// Memory of one caller: the part of the model's block that was made for the first one, unless somebody has it.
  TKL_COLD result<std::shared_ptr<std::byte>> caller_memory() const {
    if (!shared_->taken.exchange(true)) {
      const std::shared_ptr<shared> own = shared_;
      return std::shared_ptr<std::byte>(own->memory.data() + own->caller_at,
                                        [own](std::byte*) { own->taken.store(false); });
    }
    result<cuda_memory_block> b = cuda_memory_block::allocate(cuda_caller_bytes(plan_, partial_bytes()));
    if (!b) return b.error();
    const cuda_memory_block own = *b;
    return std::shared_ptr<std::byte>(own.data(), [own](std::byte*) {});
  }

 private:
  /// Weights as tiles. Steps that read the same packed weights as the same type share them.
  struct weight_tiles {
    std::int64_t packed = 0;  // offset of the packed weights
    bool f16 = false;         // else bf16
    std::int64_t at = 0;      // bytes from the first tiles of the model that wrote them
    const std::byte* data = nullptr;
  };
  struct shared {
    cuda_memory_block memory{};
    std::int64_t tables_at = 0, caller_at = 0, partial_bytes = 0;
    std::vector<std::int32_t> table_of_step{};
    std::vector<weight_tiles> tiles{};
    std::vector<int> tiles_of_step{};  // -1: none
    std::vector<cuda_kernel> kernels{};
    cuda_tensor_maps maps{};
    std::atomic<bool> taken = false;

    TKL_COLD int find_tiles(std::int64_t packed, bool f16) const {
      for (std::size_t i = 0; i < tiles.size(); ++i)
        if (tiles[i].packed == packed && tiles[i].f16 == f16) return static_cast<int>(i);
      return -1;
    }
    /// The weights of all steps that warpgroups run, but for those that are in `tiles`; and how many bytes the sums of
    /// parts take.
    TKL_COLD std::vector<std::byte> write_tiles(const device_plan& p, const std::byte* weights) {
      std::vector<std::byte> all;
      for (int i = 0; i < p.step_count; ++i) {
        const step& s = p.steps[i];
        const cuda_kernel& k = kernels[static_cast<std::size_t>(s.kernel)];
        tiles_of_step.push_back(-1);
        if (k.launches == nullptr) continue;
        const cuda_tile_launches l = k.launches(s, p.keys[s.kernel], p.edges);
        partial_bytes = (std::max)(partial_bytes, l.partials(p.edges[s.out]));
        if (l.ring.empty()) continue;
        const std::int64_t packed = p.edges[s.weight].offset;
        const bool f16 = p.keys[s.kernel].in == element::f16;
        tiles_of_step.back() = find_tiles(packed, f16);
        if (tiles_of_step.back() >= 0) continue;
        const auto at = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(all.size()), cuda_alignment));
        tiles_of_step.back() = static_cast<int>(tiles.size());
        tiles.push_back({packed, f16, static_cast<std::int64_t>(at), nullptr});
        all.resize(at + static_cast<std::size_t>(weight_tile_bytes(k.ring_schedule, s, p.edges)));
        const auto* const panels = reinterpret_cast<const float*>(weights + packed);
        (f16 ? &write_weight_tiles<half> : &write_weight_tiles<bfloat16>)(k.ring_schedule, contraction_of(s, p.edges),
                                                                          panels, all.data() + at);
      }
      return all;
    }
  };
  cuda_model(const cuda_context& c, const device_plan& p) : context_(c), plan_(p) {}

  /// `other`: another shape of the model, or null.
  TKL_COLD static result<cuda_model> make(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                          const std::byte* weights, const cuda_needs& needs, bool with_caller,
                                          const cuda_model* other) {
    if (status s = c.check_current(); !s) return s;
    const device_tables tables(plan);
    const auto table_bytes = static_cast<std::int64_t>(sizeof(std::int32_t) * tables.numbers.size());
    const std::int64_t weights_bytes = other == nullptr ? plan.weights_bytes : 0;
    cuda_model m(c, plan);
    m.shared_ = std::make_shared<shared>();
    shared& own = *m.shared_;
    own.kernels.assign(kernels, kernels + plan.kernel_count);
    own.table_of_step = tables.at;
    if (other != nullptr) own.tiles = other->shared_->tiles;
    const std::vector<std::byte> tiles = own.write_tiles(plan, weights);
    const auto tile_bytes = static_cast<std::int64_t>(tiles.size());
    own.tables_at = round_up(weights_bytes, cuda_alignment);
    const std::int64_t tiles_at = own.tables_at + round_up(table_bytes, cuda_alignment);
    own.caller_at = tiles_at + round_up(tile_bytes, cuda_alignment);
    own.taken.store(!with_caller);
    const std::int64_t bytes = own.caller_at + (with_caller ? cuda_caller_bytes(plan, own.partial_bytes) : 0);
    if (status s = c.check(needs, kernels, plan.kernel_count, bytes); !s) return s;
    if (!own.tiles.empty()) {
      const result<cuda_tensor_maps> maps = cuda_tensor_maps::find();
      if (!maps) return maps.error();
      own.maps = *maps;
    }
    result<cuda_memory_block> memory = cuda_memory_block::allocate(bytes);
    if (!memory) return memory.error();
    own.memory = *memory;
    for (weight_tiles& t : own.tiles)
      if (t.data == nullptr) t.data = memory->data() + tiles_at + t.at;
    m.weights_ = other == nullptr ? memory->shared() : other->weights_;
    if (status s = m.upload(0, weights, weights_bytes); !s) return s;
    if (status s = m.upload(own.tables_at, tables.numbers.data(), table_bytes); !s) return s;
    if (status s = m.upload(tiles_at, tiles.data(), tile_bytes); !s) return s;
    if (status s = c.synchronise(); !s) return s;
    return result<cuda_model>(std::move(m));
  }

  TKL_COLD status upload(std::int64_t at, const void* from, std::int64_t bytes) const {
    if (bytes == 0) return {};
    const cudaError_t e = cudaMemcpyAsync(shared_->memory.data() + at, from, static_cast<std::size_t>(bytes),
                                          cudaMemcpyHostToDevice, context_.stream());
    return e == cudaSuccess ? status{} : cuda_failure("cudaMemcpyAsync", e);
  }

  cuda_context context_;
  device_plan plan_;
  std::shared_ptr<shared> shared_{};
  std::shared_ptr<std::byte> weights_{};  // and what lies behind them: tables and tiles of the first shape
};

TKL_ISA_END
}  // namespace tkl
