// SPDX-License-Identifier: Apache-2.0
// A device and a stream: tkl's own or the caller's; and memory on the device.
//
// All work goes to that one stream, never to the default stream. A context belongs to the device that was current when
// it was made; calls on it want the same device current. While a workspace is made or told to use other memory, nobody
// else may enqueue on the stream: its work would be captured.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/cuda_error.cuh>
#include <tkl/exec/cuda_kernel.cuh>
#include <tkl/exec/cuda_needs.hpp>
#include <type_traits>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// Memory on the device, released with its last owner.
class cuda_memory_block {
 public:
  cuda_memory_block() = default;
  TKL_COLD static result<cuda_memory_block> allocate(std::int64_t bytes) {
    void* p = nullptr;
    const cudaError_t e = cudaMalloc(&p, static_cast<std::size_t>((std::max)(bytes, std::int64_t{16})));
    if (e == cudaSuccess) return cuda_memory_block(static_cast<std::byte*>(p));
    message_text m = cuda_failure("cudaMalloc", e).text();
    return status::failure(m << " for " << bytes << " bytes");
  }
  std::byte* data() const { return data_.get(); }
  const std::shared_ptr<std::byte>& shared() const { return data_; }

 private:
  struct release {
    void operator()(std::byte* p) const { static_cast<void>(cudaFree(p)); }
  };
  explicit cuda_memory_block(std::byte* p) : data_(p, release{}) {}
  std::shared_ptr<std::byte> data_{};
};

class cuda_context {
 public:
  /// A stream of tkl's own on the current device; it does not wait for the default stream.
  TKL_COLD static result<cuda_context> make() {
    cudaStream_t s{};
    if (const cudaError_t e = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); e != cudaSuccess)
      return cuda_failure("cudaStreamCreateWithFlags", e);
    return made(std::shared_ptr<stream_type>(s, [](cudaStream_t own) { static_cast<void>(cudaStreamDestroy(own)); }));
  }
  /// The caller's stream, on the current device. It must outlive what is made with this context.
  TKL_COLD static result<cuda_context> use(cudaStream_t stream) {
    if (stream == nullptr)
      return status::failure(message_text("CUDA: the default stream cannot be captured, give a stream of your own"));
    return made(std::shared_ptr<stream_type>(stream, [](cudaStream_t) {}));
  }

  cudaStream_t stream() const { return stream_.get(); }
  int device() const { return device_; }
  /// Compute capability, ten times: 80 for 8.0.
  int capability() const { return 10 * properties_->major + properties_->minor; }
  const char* device_name() const { return properties_->name; }

  status synchronise() const {
    const cudaError_t e = cudaStreamSynchronize(stream());
    return e == cudaSuccess ? status{} : cuda_failure("cudaStreamSynchronize", e);
  }
  /// Fails unless the context's device is the current one.
  status check_current() const {
    int current = 0;
    if (const cudaError_t e = cudaGetDevice(&current); e != cudaSuccess) return cuda_failure("cudaGetDevice", e);
    if (current == device_) return {};
    message_text m;
    return status::failure(m << "CUDA device " << current << " is current, the context was made on device " << device_);
  }

  /// What a plan needs of the device: what `needs` says, code for it in every kernel, bytes of memory.
  TKL_COLD status check(const cuda_needs& needs, const cuda_kernel* kernels, int kernel_count,
                        std::int64_t bytes) const {
    message_text m;
    m << "CUDA device '" << device_name() << "' of compute capability " << properties_->major << '.'
      << properties_->minor << ": ";
    if (capability() < needs.capability || (needs.exact && capability() > needs.capability))
      return status::failure(m << "the target needs " << (needs.exact ? "exactly " : "") << needs.capability / 10 << '.'
                               << needs.capability % 10);
    const auto compare = [&](std::string_view what, std::int64_t need, std::uint64_t have) {
      if (static_cast<std::uint64_t>(need) <= have) return true;
      m << what << ": " << need << " needed, it has " << static_cast<std::int64_t>(have);
      return false;
    };
    if (!compare("bytes of memory", bytes, properties_->totalGlobalMem) ||
        !compare("threads of a block", needs.block_threads,
                 static_cast<std::uint64_t>(properties_->maxThreadsPerBlock)) ||
        !compare("bytes of shared memory of a block", needs.shared_bytes, properties_->sharedMemPerBlockOptin))
      return status::failure(m);
    for (int i = 0; i < kernel_count; ++i) {
      const cuda_kernel& k = kernels[i];
      cudaError_t e = cudaSuccess;
      std::string_view call = "cudaFuncGetAttributes";
      const auto look = [&](auto* function, int shared_bytes) {
        if (e != cudaSuccess || function == nullptr) return;
        cudaFuncAttributes a{};
        e = cudaFuncGetAttributes(&a, function);
        if (e != cudaSuccess || shared_bytes == 0) return;
        e = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (e != cudaSuccess) call = "cudaFuncSetAttribute";
      };
      look(k.function, 0);
      look(k.tiles, k.shared_bytes());
      look(k.tile_parts, k.shared_bytes());
      look(k.ring, k.ring_schedule.shared_bytes());
      look(k.ring_parts, k.ring_schedule.shared_bytes());
      look(k.sums, 0);
      if (e == cudaErrorNoKernelImageForDevice)
        return status::failure(m << "the program has no code for it in kernel " << k.name);
      if (e != cudaSuccess) return cuda_failure(call, e, k.name);
    }
    return {};
  }

 private:
  using stream_type = std::remove_pointer_t<cudaStream_t>;
  TKL_COLD static result<cuda_context> made(std::shared_ptr<stream_type>&& s) {
    cuda_context c;
    c.stream_ = std::move(s);
    if (const cudaError_t e = cudaGetDevice(&c.device_); e != cudaSuccess) return cuda_failure("cudaGetDevice", e);
    c.properties_ = std::make_shared<cudaDeviceProp>();
    if (const cudaError_t e = cudaGetDeviceProperties(c.properties_.get(), c.device_); e != cudaSuccess)
      return cuda_failure("cudaGetDeviceProperties", e);
    return result<cuda_context>(std::move(c));
  }
  cuda_context() = default;
  std::shared_ptr<stream_type> stream_{};
  std::shared_ptr<cudaDeviceProp> properties_{};
  int device_ = 0;
};

TKL_ISA_END
}  // namespace tkl
