// SPDX-License-Identifier: Apache-2.0
// Compiled models on Nvidia GPUs: compile<Model, cuda<arch::sm_80>> and buckets<Model, cuda<...>, shapes...>. For nvcc
// with -std=c++20 --expt-relaxed-constexpr (CMake: tkl::cuda).
#pragma once

#include <tkl/graph.hpp>
#include <tkl/graph/buckets_device.hpp>
#include <tkl/graph/compile_cuda.cuh>
#include <tkl/graph/half_storage.hpp>
#include <tkl/graph/outputs.hpp>
#include <tkl/graph/supports.hpp>
