// SPDX-License-Identifier: Apache-2.0
// The rivals, each a unit of its own that needs no kernel of tkl's. Where a library was not found, or has no algorithm
// for a case, its contender was not measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contenders.cuh"
#include "resnet50_layers.hpp"
#include "samples.hpp"

namespace gpu_bench {

/// y = x transposed(w), all three square with rows along memory; f32 is multiplied as tf32.
contender cublas_contender(const tkl::cuda_context&, tkl::element, std::int64_t size, const std::vector<std::byte>& x,
                           const std::vector<std::byte>& w, const sampled& expected);

/// relu(convolution + bias) in f16. `w`: [out, rows, columns, in].
contender cudnn_contender(const tkl::cuda_context&, const layer&, int batch, const std::vector<std::byte>& x,
                          const std::vector<std::byte>& w, const std::vector<std::byte>& bias, const sampled& expected);

}  // namespace gpu_bench
