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
#include <tkl/exec/cuda_model.cuh>
#include <tkl/exec/cuda_step_launch.cuh>
#include <type_traits>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

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
    result<cuda_memory_block> places =
        cuda_memory_block::allocate(cuda_place_bytes(model.plan(), model.partial_bytes()));
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

  /// `places`: memory for the inputs, the outputs, the sums of parts of a depth.
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
    w.partials_ = places.get() + at;
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
    return launch_step(model_, i, partials_, [&](const edge& e) { return address(e); });
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
  std::byte* partials_ = nullptr;     // sums of parts of a depth
  std::shared_ptr<graph_type> graph_{};
};

TKL_ISA_END
}  // namespace tkl
