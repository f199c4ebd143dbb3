// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/map.hpp on the first OpenCL device.
#include "support/opencl_compare.hpp"
#include "work_items/map.hpp"
