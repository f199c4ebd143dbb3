// SPDX-License-Identifier: Apache-2.0
// What a model owns on a device and all its callers share: its kernels, and one block of memory with its weights, the
// tables of its steps, and the memory of the first caller.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/cuda_context.cuh>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/device_tables.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// Distance of parts of a block of memory: as far apart as what cudaMalloc gives.
inline constexpr std::int64_t cuda_alignment = 256;

/// Bytes of the inputs and outputs of one caller.
constexpr std::int64_t cuda_place_bytes(const device_plan& p) {
  std::int64_t n = 0;
  for (int i = 0; i < p.input_count; ++i) n += round_up(buffer_bytes_of(p.input(i)), cuda_alignment);
  for (int i = 0; i < p.output_count; ++i) n += round_up(buffer_bytes_of(p.output(i)), cuda_alignment);
  return n;
}
/// Bytes that one caller needs: the arena, then each input and output.
constexpr std::int64_t cuda_caller_bytes(const device_plan& p) {
  return round_up(p.arena_bytes, cuda_alignment) + cuda_place_bytes(p);
}

class cuda_model {
 public:
  /// Checks the device, allocates, and uploads. `weights`: the plan's packed weights, on the host; not needed
  /// afterwards. `facts`: of the target's architecture. `caller_bytes`: memory for the first caller, or 0.
  TKL_COLD static result<cuda_model> make(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                          const std::byte* weights, const cuda_facts& facts,
                                          std::int64_t caller_bytes) {
    return make(c, plan, kernels, weights, plan.weights_bytes, facts, caller_bytes);
  }
  /// The same with the weights of another shape of the model, which are on the device already.
  TKL_COLD static result<cuda_model> share(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                           const cuda_model& other, const cuda_facts& facts) {
    result<cuda_model> m = make(c, plan, kernels, nullptr, 0, facts, 0);
    if (m) m->weights_ = other.weights_;
    return m;
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

  /// Memory of one caller: the part of the model's block that was made for the first one, unless somebody has it.
  TKL_COLD result<std::shared_ptr<std::byte>> caller_memory() const {
    if (!shared_->taken.exchange(true)) {
      const std::shared_ptr<shared> own = shared_;
      return std::shared_ptr<std::byte>(own->memory.data() + own->caller_at,
                                        [own](std::byte*) { own->taken.store(false); });
    }
    result<cuda_memory_block> b = cuda_memory_block::allocate(cuda_caller_bytes(plan_));
    if (!b) return b.error();
    const cuda_memory_block own = *b;
    return std::shared_ptr<std::byte>(own.data(), [own](std::byte*) {});
  }

 private:
  struct shared {
    cuda_memory_block memory{};
    std::int64_t tables_at = 0, caller_at = 0;
    std::vector<std::int32_t> table_of_step{};
    std::vector<cuda_kernel> kernels{};
    std::atomic<bool> taken = false;
  };
  cuda_model(const cuda_context& c, const device_plan& p) : context_(c), plan_(p) {}

  TKL_COLD static result<cuda_model> make(const cuda_context& c, const device_plan& plan, const cuda_kernel* kernels,
                                          const std::byte* weights, std::int64_t weights_bytes, const cuda_facts& facts,
                                          std::int64_t caller_bytes) {
    if (status s = c.check_current(); !s) return s;
    const device_tables tables(plan);
    const auto table_bytes = static_cast<std::int64_t>(sizeof(std::int32_t) * tables.numbers.size());
    const std::int64_t tables_at = round_up(weights_bytes, cuda_alignment);
    const std::int64_t caller_at = tables_at + round_up(table_bytes, cuda_alignment);
    const std::int64_t bytes = caller_at + caller_bytes;
    if (status s = c.check(facts, kernels, plan.kernel_count, bytes); !s) return s;
    result<cuda_memory_block> memory = cuda_memory_block::allocate(bytes);
    if (!memory) return memory.error();
    cuda_model m(c, plan);
    m.weights_ = memory->shared();
    m.shared_ = std::make_shared<shared>();
    m.shared_->memory = *memory;
    m.shared_->tables_at = tables_at;
    m.shared_->caller_at = caller_at;
    m.shared_->table_of_step = tables.at;
    m.shared_->kernels.assign(kernels, kernels + plan.kernel_count);
    m.shared_->taken.store(caller_bytes == 0);
    if (status s = m.upload(0, weights, weights_bytes); !s) return s;
    if (status s = m.upload(tables_at, tables.numbers.data(), table_bytes); !s) return s;
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
  std::shared_ptr<std::byte> weights_{};
};

TKL_ISA_END
}  // namespace tkl
