// SPDX-License-Identifier: Apache-2.0
// OpenCL as a target of plans, with its run time.
#pragma once

#include <tkl/exec/opencl_context.hpp>
#include <tkl/exec/opencl_model.hpp>
#include <tkl/exec/opencl_target.hpp>
#include <tkl/exec/opencl_workspace.hpp>
