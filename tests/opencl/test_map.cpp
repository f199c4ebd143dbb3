// SPDX-License-Identifier: Apache-2.0
// The cases of device_map.hpp on the first OpenCL device.
#include "support/device_map.hpp"
#include "support/opencl_compare.hpp"
