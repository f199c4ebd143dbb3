// SPDX-License-Identifier: Apache-2.0
// What one caller of a model owns on a device: the arena, places for inputs and outputs, and the steps of the plan as
// one executable graph, captured once. A run launches that graph on the context's stream and allocates nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/cuda_launch.hpp>
#include <tkl/exec/cuda_model.cuh>
#include <type_traits>
#include <utility>
#include <vector>

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
  return (at(a.in[0].data) | at(a.weights)) % 16 == 0;
}

/// The launch of a step.
constexpr cuda_launch cuda_launch_of(const work_item_schedule& schedule, const step& s, const kernel_key& k,
                                     const edge* edges) {
  return cuda_launch_of(items_of_step(schedule, s, k, edges), cuda_block_threads, shares_items(k) ? cuda_team : 1);
}

class cuda_workspace {
 public:
  /// One caller at a time. The plan's data must outlive the workspace; the model need not.
  TKL_COLD static result<cuda_workspace> make(const cuda_model& model) {
    result<std::shared_ptr<std::byte>> memory = model.caller_memory();
    if (!memory) return memory.error();
    return make(model, *memory, {*memory, memory->get() + round_up(model.plan().arena_bytes, cuda_alignment)});
  }
  /// The same in an arena that other workspaces of the caller use, too.
  TKL_COLD static result<cuda_workspace> make(const cuda_model& model, const std::shared_ptr<std::byte>& arena) {
    result<cuda_memory_block> places = cuda_memory_block::allocate(cuda_place_bytes(model.plan()));
    if (!places) return places.error();
    return make(model, arena, places->shared());
  }

  /// Where an input or output lies on the device, for callers whose data is there.
  void* input(int i) const { return caller_[static_cast<std::size_t>(i)]; }
  void* output(int i) const { return caller_[static_cast<std::size_t>(model_.plan().input_count + i)]; }
  /// Lets an input or output lie in the caller's memory on the device, which has the size that the model declares; the
  /// steps are captured again.
  TKL_COLD status use_input(int i, const void* p) { return use(i, const_cast<void*>(p)); }
  TKL_COLD status use_output(int i, void* p) { return use(model_.plan().input_count + i, p); }

  /// Enqueues all steps on the context's stream, from device memory to device memory, without waiting.
  status enqueue() const {
    if (status s = model_.context().check_current(); !s) return s;
    if (graph_ == nullptr) return status::failure(message_text("CUDA: the steps could not be captured for this place"));
    const cudaError_t e = cudaGraphLaunch(graph_.get(), model_.context().stream());
    return e == cudaSuccess ? status{} : cuda_failure("cudaGraphLaunch", e);
  }

  /// Host memory to the inputs, all steps, outputs to host memory; returns when they are there, and not before the
  /// device has let go of the host's memory when something fails. `in` or `out` may be null: the inputs are on the
  /// device already, or the outputs stay there.
  status run(const void* const* in, void* const* out) const {
    const status enqueued = enqueue_all(in, out);
    const status done = model_.context().synchronise();
    return enqueued ? done : enqueued;
  }

 private:
  using graph_type = std::remove_pointer_t<cudaGraphExec_t>;
  explicit cuda_workspace(const cuda_model& m) : model_(m) {}

  /// `places`: memory for the inputs, then the outputs.
  TKL_COLD static result<cuda_workspace> make(const cuda_model& model, const std::shared_ptr<std::byte>& arena,
                                              const std::shared_ptr<std::byte>& places) {
    cuda_workspace w(model);
    w.arena_ = arena;
    w.places_ = places;
    std::int64_t at = 0;
    for (int i = 0; i < model.plan().input_count + model.plan().output_count; ++i) {
      w.caller_.push_back(places.get() + at);
      at += round_up(buffer_bytes_of(w.caller_edge(i)), cuda_alignment);
    }
    if (status s = w.capture(); !s) return s;
    return result<cuda_workspace>(std::move(w));
  }

  const edge& caller_edge(int i) const {
    const device_plan& p = model_.plan();
    return i < p.input_count ? p.input(i) : p.output(i - p.input_count);
  }
  std::byte* address(const edge& e) const {
    std::byte* const base = e.where == space::input ? caller_[static_cast<std::size_t>(e.index)]
                            : e.where == space::output
                                ? caller_[static_cast<std::size_t>(model_.plan().input_count + e.index)]
                            : e.where == space::arena ? arena_.get()
                                                      : model_.weights();
    return base + e.offset;
  }

  status enqueue_all(const void* const* in, void* const* out) const {
    const device_plan& p = model_.plan();
    for (int i = 0; in != nullptr && i < p.input_count; ++i)
      if (status s = copy(input(i), in[i], buffer_bytes_of(p.input(i)), cudaMemcpyHostToDevice); !s) return s;
    if (status s = enqueue(); !s) return s;
    for (int i = 0; out != nullptr && i < p.output_count; ++i)
      if (status s = copy(out[i], output(i), buffer_bytes_of(p.output(i)), cudaMemcpyDeviceToHost); !s) return s;
    return {};
  }

  TKL_COLD status launch(int i) const {
    const device_plan& p = model_.plan();
    const step& s = p.steps[i];
    const cuda_kernel& k = model_.kernel_of(s);
    cuda_launch l = cuda_launch_of(p.schedule, s, p.keys[s.kernel], p.edges);
    if (l.empty()) return {};
    cuda_arguments a = cuda_arguments_of(s, p.edges, model_.tables(i), l, [&](const edge& e) { return address(e); });
    auto* function = k.function;
    std::size_t shared = 0;
    if (k.tiles != nullptr) {
      if (const cuda_launch tiles = cuda_launch_of(k.schedule, a, k.vector, operands_are_aligned(a)); !tiles.empty()) {
        l = tiles;
        function = k.tiles;
        shared = static_cast<std::size_t>(k.shared_bytes());
      }
    }
    void* arguments[] = {&a};
    const cudaError_t e =
        cudaLaunchKernel(function, dim3(l.grid[0], l.grid[1], l.grid[2]),
                         dim3(l.threads[0], l.threads[1], l.threads[2]), arguments, shared, model_.context().stream());
    return e == cudaSuccess ? status{} : cuda_failure("cudaLaunchKernel", e, k.name, i, p.name_of_step(s));
  }

  /// Captures the launches of all steps.
  TKL_COLD status capture() {
    const cudaStream_t stream = model_.context().stream();
    graph_.reset();
    cudaError_t e = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return cuda_failure("cudaStreamBeginCapture", e);
    status launched;
    for (int i = 0; i < model_.plan().step_count && launched.ok(); ++i) launched = launch(i);
    cudaGraph_t g{};
    e = cudaStreamEndCapture(stream, &g);
    const std::shared_ptr<std::remove_pointer_t<cudaGraph_t>> graph(
        g, [](cudaGraph_t own) { static_cast<void>(own == nullptr ? cudaSuccess : cudaGraphDestroy(own)); });
    if (!launched) return launched;
    if (e != cudaSuccess) return cuda_failure("cudaStreamEndCapture", e);
    cudaGraphExec_t exec{};
    e = cudaGraphInstantiate(&exec, graph.get(), 0);
    if (e != cudaSuccess) return cuda_failure("cudaGraphInstantiate", e);
    graph_.reset(exec, [](cudaGraphExec_t own) { static_cast<void>(cudaGraphExecDestroy(own)); });
    return {};
  }

  TKL_COLD status use(int i, void* p) {
    message_text m;
    if (reinterpret_cast<std::uintptr_t>(p) % size_of(caller_edge(i).type) != 0 || p == nullptr)
      return status::failure(m << "a place on the device that is null or no multiple of "
                               << static_cast<std::int64_t>(size_of(caller_edge(i).type)) << " bytes");
    caller_[static_cast<std::size_t>(i)] = static_cast<std::byte*>(p);
    return capture();
  }

  status copy(void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind) const {
    if (bytes == 0) return {};
    const cudaError_t e = cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, model_.context().stream());
    return e == cudaSuccess ? status{} : cuda_failure("cudaMemcpyAsync", e);
  }

  cuda_model model_;  // handles: what they stand for lives as long as the workspace
  std::shared_ptr<std::byte> arena_{}, places_{};
  std::vector<std::byte*> caller_{};  // inputs, then outputs
  std::shared_ptr<graph_type> graph_{};
};

TKL_ISA_END
}  // namespace tkl
