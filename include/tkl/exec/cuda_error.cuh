// SPDX-License-Identifier: Apache-2.0
// CUDA's error codes as messages: the call, the kernel, the step, the name of the code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// "cudaLaunchKernel of kernel conv2d (step 'layer1.0.conv1'): ".
TKL_COLD inline message_text cuda_call_text(std::string_view call, std::string_view kernel = {}, int step = -1,
                                            std::string_view name = {}) {
  message_text m;
  m << call;
  if (!kernel.empty()) m << " of kernel " << kernel;
  if (!name.empty()) {
    m << " (step '" << name << "')";
  } else if (step >= 0) {
    m << " (step " << step << ')';
  }
  m << ": ";
  return m;
}

/// The same with the code: "...: cudaErrorInvalidConfiguration (9)".
TKL_COLD inline status cuda_failure(std::string_view call, cudaError_t code, std::string_view kernel = {},
                                    int step = -1, std::string_view name = {}) {
  message_text m = cuda_call_text(call, kernel, step, name);
  return status::failure(m << cudaGetErrorName(code) << " (" << static_cast<std::int64_t>(code) << ')');
}

TKL_ISA_END
}  // namespace tkl
