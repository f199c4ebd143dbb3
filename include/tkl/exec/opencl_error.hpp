// SPDX-License-Identifier: Apache-2.0
// OpenCL's error codes as messages: the call, the kernel, the name of the code.
//
// This header decides the version for CL/opencl.hpp: 1.2, unless the program has decided before.
#pragma once

#ifndef CL_HPP_TARGET_OPENCL_VERSION
#  define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
#  define CL_HPP_MINIMUM_OPENCL_VERSION 120
#endif
#if !__has_include(<CL/opencl.hpp>)
#  error "tkl's OpenCL target needs CL/opencl.hpp (Debian: apt-get install opencl-clhpp-headers ocl-icd-opencl-dev)"
#endif
#include <CL/opencl.hpp>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// Name of an error code of OpenCL 1.2; empty for others.
TKL_COLD inline std::string_view opencl_error_name(cl_int code) {
  constexpr std::string_view first[] = {"CL_SUCCESS",
                                        "CL_DEVICE_NOT_FOUND",
                                        "CL_DEVICE_NOT_AVAILABLE",
                                        "CL_COMPILER_NOT_AVAILABLE",
                                        "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                        "CL_OUT_OF_RESOURCES",
                                        "CL_OUT_OF_HOST_MEMORY",
                                        "CL_PROFILING_INFO_NOT_AVAILABLE",
                                        "CL_MEM_COPY_OVERLAP",
                                        "CL_IMAGE_FORMAT_MISMATCH",
                                        "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                        "CL_BUILD_PROGRAM_FAILURE",
                                        "CL_MAP_FAILURE",
                                        "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                                        "CL_COMPILE_PROGRAM_FAILURE",
                                        "CL_LINKER_NOT_AVAILABLE",
                                        "CL_LINK_PROGRAM_FAILURE",
                                        "CL_DEVICE_PARTITION_FAILED",
                                        "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"};
  constexpr std::string_view second[] = {"CL_INVALID_VALUE",
                                         "CL_INVALID_DEVICE_TYPE",
                                         "CL_INVALID_PLATFORM",
                                         "CL_INVALID_DEVICE",
                                         "CL_INVALID_CONTEXT",
                                         "CL_INVALID_QUEUE_PROPERTIES",
                                         "CL_INVALID_COMMAND_QUEUE",
                                         "CL_INVALID_HOST_PTR",
                                         "CL_INVALID_MEM_OBJECT",
                                         "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
                                         "CL_INVALID_IMAGE_SIZE",
                                         "CL_INVALID_SAMPLER",
                                         "CL_INVALID_BINARY",
                                         "CL_INVALID_BUILD_OPTIONS",
                                         "CL_INVALID_PROGRAM",
                                         "CL_INVALID_PROGRAM_EXECUTABLE",
                                         "CL_INVALID_KERNEL_NAME",
                                         "CL_INVALID_KERNEL_DEFINITION",
                                         "CL_INVALID_KERNEL",
                                         "CL_INVALID_ARG_INDEX",
                                         "CL_INVALID_ARG_VALUE",
                                         "CL_INVALID_ARG_SIZE",
                                         "CL_INVALID_KERNEL_ARGS",
                                         "CL_INVALID_WORK_DIMENSION",
                                         "CL_INVALID_WORK_GROUP_SIZE",
                                         "CL_INVALID_WORK_ITEM_SIZE",
                                         "CL_INVALID_GLOBAL_OFFSET",
                                         "CL_INVALID_EVENT_WAIT_LIST",
                                         "CL_INVALID_EVENT",
                                         "CL_INVALID_OPERATION",
                                         "CL_INVALID_GL_OBJECT",
                                         "CL_INVALID_BUFFER_SIZE",
                                         "CL_INVALID_MIP_LEVEL",
                                         "CL_INVALID_GLOBAL_WORK_SIZE",
                                         "CL_INVALID_PROPERTY",
                                         "CL_INVALID_IMAGE_DESCRIPTOR",
                                         "CL_INVALID_COMPILER_OPTIONS",
                                         "CL_INVALID_LINKER_OPTIONS",
                                         "CL_INVALID_DEVICE_PARTITION_COUNT"};
  if (code <= 0 && code > -20) return first[-code];
  if (code <= -30 && code > -69) return second[-code - 30];
  return code == -1001 ? "CL_PLATFORM_NOT_FOUND_KHR" : "";
}

/// "clCreateKernel of kernel conv2d (step 'layer1.0.conv1'): CL_INVALID_KERNEL_NAME (-46)".
TKL_COLD inline status opencl_failure(std::string_view call, cl_int code, std::string_view kernel = {},
                                      std::string_view step = {}) {
  message_text m;
  m << call;
  if (!kernel.empty()) m << " of kernel " << kernel;
  if (!step.empty()) m << " (step '" << step << "')";
  m << ": " << opencl_error_name(code) << " (" << static_cast<std::int64_t>(code) << ')';
  return status::failure(m);
}

TKL_ISA_END
}  // namespace tkl
