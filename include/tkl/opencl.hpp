// SPDX-License-Identifier: Apache-2.0
// Compiled models on OpenCL devices: compile<Model, opencl<arch::mali_g52>> and buckets<Model, opencl<...>, shapes...>.
// Needs the headers CL/opencl.hpp and an OpenCL loader to link with (CMake: tkl::opencl).
#pragma once

#include <tkl/exec/opencl.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/buckets_device.hpp>
#include <tkl/graph/compile_opencl.hpp>
#include <tkl/graph/half_storage.hpp>
#include <tkl/graph/outputs.hpp>
#include <tkl/graph/supports.hpp>
