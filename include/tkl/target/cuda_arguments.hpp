// SPDX-License-Identifier: Apache-2.0
// What a CUDA kernel takes: one structure by value with the tensors and numbers of a step, so that a launch needs no
// table on the device.
#pragma once

#include <cstdint>
#include <tkl/expr/code.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {

/// A tensor on the device. Strides in elements.
struct cuda_tensor {
  const void* data = nullptr;
  std::int32_t extent[plan_rank]{};
  std::int32_t stride[plan_rank]{};
};

struct cuda_arguments {
  cuda_tensor in[step_inputs]{};
  cuda_tensor out{};  // its data is written
  const void* weights = nullptr;
  const std::int32_t* tables = nullptr;  // triples that the host has prepared
  step_parameters parameters{};
  std::uint32_t blocks[3]{};  // in all; a grid may have fewer along its second and third dimension
  operand_values operands{};  // of the epilogue
  operand_values prologue{};
};

static_assert(sizeof(cuda_arguments) <= 4096, "a kernel's parameters have at most 4096 bytes before CUDA 12.1");

}  // namespace tkl
