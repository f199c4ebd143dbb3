// SPDX-License-Identifier: Apache-2.0
// CUDA's runtime API as far as tkl uses it. What is enqueued runs when the stream is synchronised, not before: as late
// as CUDA allows. Memory begins as NaN and ends at a page that may not be touched.
//
// A test plants errors, forbids calls, and reads how often each function was called.
#pragma once

#include <cuda.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "block.hpp"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorIllegalAddress = 700,
  cudaErrorStreamCaptureUnsupported = 900
};
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1 };
inline constexpr unsigned long long cudaEnableDefault = 0;
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
inline constexpr unsigned cudaStreamNonBlocking = 1;

namespace cuda_cpu {
using work = std::vector<std::function<void()>>;
struct stream {
  work waiting{};
  work* capture = nullptr;
};
}  // namespace cuda_cpu
using cudaStream_t = cuda_cpu::stream*;
using cudaGraph_t = cuda_cpu::work*;
using cudaGraphExec_t = cuda_cpu::work*;
struct cudaDeviceProp {
  char name[256];
  int major, minor, maxThreadsPerBlock;
  std::size_t totalGlobalMem, sharedMemPerBlockOptin;
};
struct cudaFuncAttributes {
  int maxThreadsPerBlock, numRegs, binaryVersion;
  std::size_t localSizeBytes;
};

namespace cuda_cpu {

/// The n-th call of a function from now on (1: the next) fails with a code.
struct plant {
  int calls = 0;
  cudaError_t code = cudaSuccess;
};
struct simulator {
  std::map<std::string, plant> planted{};
  std::map<std::string, int> called{};
  std::map<void*, std::pair<void*, std::size_t>> memory{};  // address: pages and their bytes
  std::map<const void*, std::size_t> shared_limit{};
  int major = 8, minor = 0;
  bool has_tensor_maps = true;  // whether the driver knows them
  std::size_t shared_used = 0;  // the most shared memory of a launch

  cudaError_t call(const char* name) {
    ++called[name];
    const auto p = planted.find(name);
    if (p == planted.end() || --p->second.calls > 0) return cudaSuccess;
    const cudaError_t code = p->second.code;
    planted.erase(p);
    return code;
  }
  /// The next but (n - 1) call of `name` fails.
  void fail(const char* name, int n, cudaError_t code) { planted[name] = {n, code}; }
  /// Adds to a stream, or to what it captures.
  static cudaError_t enqueue(cudaStream_t s, std::function<void()> f) {
    if (s == nullptr) running().die("work on the default stream");
    (s->capture != nullptr ? *s->capture : s->waiting).push_back(std::move(f));
    return cudaSuccess;
  }
};
inline simulator& sim() {
  static simulator s;
  return s;
}

}  // namespace cuda_cpu

inline const char* cudaGetErrorName(cudaError_t e) {
  switch (e) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNoKernelImageForDevice:
      return "cudaErrorNoKernelImageForDevice";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
  }
  return "unrecognized error code";
}

inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cuda_cpu::sim().call("cudaGetDevice");
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  *p = {};
  std::strcpy(p->name, "CPU");
  p->major = cuda_cpu::sim().major;
  p->minor = cuda_cpu::sim().minor;
  p->totalGlobalMem = std::size_t{1} << 32;
  p->maxThreadsPerBlock = 1024;
  p->sharedMemPerBlockOptin = (cuda_cpu::sim().major >= 9 ? 227 : 163) * 1024;
  return cuda_cpu::sim().call("cudaGetDeviceProperties");
}
/// The driver's checks for maps of five axes with the swizzle of 128 bytes.
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, std::uint32_t rank, void* data,
                                       const std::uint64_t* extent, const std::uint64_t* stride,
                                       const std::uint32_t* box, const std::uint32_t* steps, CUtensorMapInterleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  bool good = rank == 5 && swizzle == CU_TENSOR_MAP_SWIZZLE_128B && reinterpret_cast<std::uintptr_t>(data) % 16 == 0 &&
              2 * box[0] <= 128;
  for (int i = 0; i < 3; ++i)
    good =
        good && extent[i] != 0 && extent[i] <= std::uint64_t{1} << 32 && box[i] >= 1 && box[i] <= 256 && steps[i] == 1;
  for (int i = 0; i < 4; ++i) good = good && stride[i] % 16 == 0 && stride[i] < std::uint64_t{1} << 40;
  if (cuda_cpu::sim().call("cuTensorMapEncodeTiled") != cudaSuccess) return CUDA_ERROR_INVALID_VALUE;
  if (!good) return CUDA_ERROR_INVALID_VALUE;
  cuda_cpu::tensor_map t{static_cast<const std::byte*>(data), {}, {}, {}, 2};
  std::copy_n(extent, 5, t.extent);
  std::copy_n(stride, 4, t.stride);
  std::copy_n(box, 5, t.box);
  std::memcpy(map->opaque, &t, sizeof t);
  return CUDA_SUCCESS;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** f, unsigned version, unsigned long long,
                                                    cudaDriverEntryPointQueryResult* found) {
  const bool known = cuda_cpu::sim().has_tensor_maps && std::strcmp(name, "cuTensorMapEncodeTiled") == 0;
  *f = known ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
  *found = known && version >= 12000 ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cuda_cpu::sim().call("cudaGetDriverEntryPointByVersion");
}

inline cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaMalloc"); e != cudaSuccess) return e;
  const std::size_t used = (bytes + 15) / 16 * 16, pages = (used + 4095) / 4096 * 4096;
  void* const start =
      mmap(nullptr, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  mprotect(static_cast<char*>(start) + pages, 4096, PROT_NONE);
  *p = static_cast<char*>(start) + pages - used;
  std::memset(*p, 0xff, used);
  cuda_cpu::sim().memory[*p] = {start, pages + 4096};
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* p) {
  auto& memory = cuda_cpu::sim().memory;
  if (p == nullptr) return cudaSuccess;
  const auto found = memory.find(p);
  if (found == memory.end()) return cudaErrorInvalidValue;
  munmap(found->second.first, found->second.second);
  memory.erase(found);
  return cuda_cpu::sim().call("cudaFree");
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaStreamCreateWithFlags"); e != cudaSuccess) return e;
  *s = new cuda_cpu::stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  if (s == nullptr) cuda_cpu::running().die("the default stream is synchronised");
  for (const auto& f : std::exchange(s->waiting, {})) f();
  return cuda_cpu::sim().call("cudaStreamSynchronize");
}
inline cudaError_t cudaStreamDestroy(cudaStream_t s) {
  const cudaError_t e = cudaStreamSynchronize(s);
  delete s;
  return e;
}
/// Host memory is read at once, as from pageable memory, and written when the stream comes to it.
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t s) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaMemcpyAsync"); e != cudaSuccess) return e;
  if (kind != cudaMemcpyHostToDevice) return cuda_cpu::simulator::enqueue(s, [=] { std::memcpy(to, from, bytes); });
  const auto* const first = static_cast<const std::byte*>(from);
  return cuda_cpu::simulator::enqueue(s, [to, copy = std::vector<std::byte>(first, first + bytes)] {
    if (!copy.empty()) std::memcpy(to, copy.data(), copy.size());
  });
}

inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaStreamBeginCapture"); e != cudaSuccess) return e;
  if (s == nullptr) return cudaErrorStreamCaptureUnsupported;
  s->capture = new cuda_cpu::work;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* g) {
  *g = std::exchange(s->capture, nullptr);
  return cuda_cpu::sim().call("cudaStreamEndCapture");
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t g, unsigned long long = 0) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaGraphInstantiate"); e != cudaSuccess) return e;
  *exec = new cuda_cpu::work(*g);
  return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaGraphLaunch"); e != cudaSuccess) return e;
  return cuda_cpu::simulator::enqueue(s, [steps = *exec] {
    for (const auto& f : steps) f();
  });
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  delete g;
  return cuda_cpu::sim().call("cudaGraphDestroy");
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) {
  delete g;
  return cuda_cpu::sim().call("cudaGraphExecDestroy");
}

template <class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, void (*)(P...)) {
  *a = {1024, 32, 10 * cuda_cpu::sim().major + cuda_cpu::sim().minor, 0};
  return cuda_cpu::sim().call("cudaFuncGetAttributes");
}
template <class... P>
cudaError_t cudaFuncSetAttribute(void (*f)(P...), cudaFuncAttribute, int value) {
  cuda_cpu::sim().shared_limit[reinterpret_cast<const void*>(f)] = static_cast<std::size_t>(value);
  return cuda_cpu::sim().call("cudaFuncSetAttribute");
}
/// Checks what a GPU checks of a launch, and enqueues it; kernels take one structure.
template <class P>
cudaError_t cudaLaunchKernel(void (*f)(P), dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t s) {
  if (const cudaError_t e = cuda_cpu::sim().call("cudaLaunchKernel"); e != cudaSuccess) return e;
  const auto none = [](const dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (none(grid) || none(block) || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535 || block.x > 1024 ||
      block.y > 1024 || block.z > 64 || std::size_t{block.x} * block.y * block.z > 1024)
    return cudaErrorInvalidConfiguration;
  const auto limit = cuda_cpu::sim().shared_limit.find(reinterpret_cast<const void*>(f));
  if (shared > (limit == cuda_cpu::sim().shared_limit.end() ? 48 * 1024 : limit->second)) return cudaErrorInvalidValue;
  cuda_cpu::sim().shared_used = std::max(cuda_cpu::sim().shared_used, shared);
  return cuda_cpu::simulator::enqueue(s, [=, own = *static_cast<P*>(arguments[0])] {
    const std::function<void()> body = [&] { f(own); };
    for (unsigned z = 0; z < grid.z; ++z)
      for (unsigned y = 0; y < grid.y; ++y)
        for (unsigned x = 0; x < grid.x; ++x) cuda_cpu::running().run(grid, block, {x, y, z}, shared, body);
  });
}
