// SPDX-License-Identifier: Apache-2.0
// Tensor maps: what the copies of boxes (TMA) know of a tensor. The driver writes them on the host; its function is
// asked for by name, so that a program needs no library but the run time.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/cuda_error.cuh>
#include <tkl/exec/cuda_tile_launch.hpp>

namespace tkl {
TKL_ISA_BEGIN

class cuda_tensor_maps {
 public:
  /// Maps of a driver that has them: CUDA 12.0 or newer.
  TKL_COLD static result<cuda_tensor_maps> find() {
    void* f = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t e =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
    if (e != cudaSuccess) return cuda_failure("cudaGetDriverEntryPointByVersion of cuTensorMapEncodeTiled", e);
    if (found != cudaDriverEntryPointSuccess || f == nullptr)
      return status::failure(message_text("CUDA: the driver has no cuTensorMapEncodeTiled, version 12.0 is needed"));
    cuda_tensor_maps m;
    m.encode_ = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(f);
    return m;
  }

  /// The map of a step's input (ring_launch says which there are): channels of a group, groups, columns, rows, batch;
  /// in boxes of a line of channels by those of `space`, their vectors exchanged as in algo/mma/matrix_tile.hpp.
  TKL_COLD CUresult encode_input(CUtensorMap& map, const ring_schedule& schedule, const ring_space& space,
                                 const step& s, const edge* edges, const void* data) const {
    const edge& in = edges[s.in[0]];
    const tile_contraction c = contraction_of(s, edges);
    const auto bytes = static_cast<std::uint64_t>(size_of(in.type));
    const bool plain = space.extent[0] != edges[s.out].extent[2];  // all places along one axis
    std::uint64_t extent[] = {static_cast<std::uint64_t>(c.depth), static_cast<std::uint64_t>(c.groups), 1, 1, 1};
    std::uint64_t stride[] = {bytes * extent[0], bytes * extent[0], bytes * extent[0], bytes * extent[0]};
    if (plain) {
      extent[2] = static_cast<std::uint64_t>(c.places);
      stride[1] = bytes * static_cast<std::uint64_t>(place_stride(in));
    }
    for (int i = 0; i < 3 && !plain; ++i) {
      extent[2 + i] = static_cast<std::uint64_t>(in.extent[2 - i]);
      if (in.extent[2 - i] > 1) stride[1 + i] = bytes * static_cast<std::uint64_t>(in.stride[2 - i]);
    }
    const std::uint32_t box[] = {static_cast<std::uint32_t>(schedule.line_bytes / bytes), 1,
                                 static_cast<std::uint32_t>(space.box[0]), static_cast<std::uint32_t>(space.box[1]),
                                 static_cast<std::uint32_t>(space.box[2])};
    const std::uint32_t steps[] = {1, 1, 1, 1, 1};
    return encode_(&map, in.type == element::f16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                   5, const_cast<void*>(data), extent, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }

 private:
  decltype(&cuTensorMapEncodeTiled) encode_ = nullptr;
};

TKL_ISA_END
}  // namespace tkl
