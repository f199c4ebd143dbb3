// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name, the driver's interface, as far as tkl uses it: tensor maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9 };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B = 3 };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

/// CUDA aligns it to 64 bytes; g++ notes that such a parameter was passed otherwise before version 4.6.
struct CUtensorMap {
  std::uint64_t opaque[16];
};

namespace cuda_cpu {

/// What the map of a tensor of five axes holds.
struct tensor_map {
  const std::byte* data;
  std::uint64_t extent[5], stride[4];  // strides in bytes; elements of the first axis are neighbours
  std::uint32_t box[5];
  std::uint32_t element_bytes;
};
static_assert(sizeof(tensor_map) <= sizeof(CUtensorMap));
inline tensor_map map_of(const CUtensorMap& m) {
  tensor_map t;
  std::memcpy(&t, m.opaque, sizeof t);
  return t;
}

}  // namespace cuda_cpu

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, std::uint32_t rank, void* data,
                                const std::uint64_t* extent, const std::uint64_t* stride, const std::uint32_t* box,
                                const std::uint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
