// SPDX-License-Identifier: Apache-2.0
// What the rivals of both libraries share: operands on the device, a call as a graph, the fastest of several calls.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tkl/cuda.cuh>
#include <type_traits>
#include <vector>

#include "contenders.cuh"
#include "samples.hpp"

namespace gpu_bench {

/// Memory on the device; null where it could not be had.
inline std::shared_ptr<std::byte> device_bytes(std::size_t bytes) {
  const auto block = tkl::cuda_memory_block::allocate(static_cast<std::int64_t>(bytes));
  return block ? block->shared() : nullptr;
}
inline std::shared_ptr<std::byte> on_device(const std::vector<std::byte>& host) {
  std::shared_ptr<std::byte> p = device_bytes(host.size());
  // No stream waits for such a copy.
  if (p != nullptr && (cudaMemcpy(p.get(), host.data(), host.size(), cudaMemcpyHostToDevice) != cudaSuccess ||
                       cudaDeviceSynchronize() != cudaSuccess))
    p.reset();
  return p;
}

/// One call of a library as a contender that launches a graph. `call` enqueues on the context's stream and returns an
/// error, or nothing.
inline contender captured(const tkl::cuda_context& context, const char* how, const std::function<std::string()>& call) {
  contender c{how};
  c.error = call();  // what the library prepares at a first call is not captured
  if (const tkl::status s = context.synchronise(); !s && c.error.empty()) c.error = s.message();
  if (!c.error.empty()) return c;
  cudaGraph_t recorded{};
  cudaError_t e = cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal);
  if (e == cudaSuccess) {
    c.error = call();
    e = cudaStreamEndCapture(context.stream(), &recorded);
  }
  cudaGraphExec_t exec{};
  if (e == cudaSuccess && c.error.empty()) e = cudaGraphInstantiate(&exec, recorded, 0);
  if (recorded != nullptr) static_cast<void>(cudaGraphDestroy(recorded));
  if (e != cudaSuccess && c.error.empty()) c.error = cudaGetErrorName(e);
  if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (!c.error.empty()) return c;
  const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> graph(
      exec, [](cudaGraphExec_t own) { static_cast<void>(cudaGraphExecDestroy(own)); });
  c.enqueue = [graph, stream = context.stream()] {
    const cudaError_t launched = cudaGraphLaunch(graph.get(), stream);
    return launched == cudaSuccess ? std::string() : std::string(cudaGetErrorName(launched));
  };
  return c;
}

/// The fastest of the calls that run, its result compared; the error of the first if none does.
inline contender fastest(const tkl::cuda_context& context, const char* how,
                         const std::vector<std::function<std::string()>>& calls, const std::shared_ptr<std::byte>& y,
                         const sampled& expected) {
  contender best = contender::failed(how, "no algorithm was found");
  bool any = false;
  double least = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    contender c = captured(context, how, calls[i]);
    if (c.good()) {
      const int within = calls_within(context, c, 3'000);
      c.micros = c.good() ? round_of(context, c, within) : 0;
    }
    if (c.good() && (!any || c.micros < least)) {
      least = c.micros;
      best = c;
      any = true;
    } else if (!any && i == 0) {
      best = c;
    }
  }
  if (!any) return best;
  std::vector<std::byte> got(expected.bytes());
  if (cudaMemsetAsync(y.get(), 0xff, got.size(), context.stream()) != cudaSuccess)
    best.error = "its result could not be cleared";
  if (best.error.empty()) best.error = best.enqueue();
  if (const tkl::status s = context.synchronise(); !s && best.error.empty()) best.error = s.message();
  if (best.error.empty() && cudaMemcpy(got.data(), y.get(), got.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
    best.error = "its result could not be copied";
  if (best.error.empty()) best.error = expected.compare(got);
  return best;
}

}  // namespace gpu_bench
