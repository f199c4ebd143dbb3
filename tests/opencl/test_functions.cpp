// SPDX-License-Identifier: Apache-2.0
// The cases of device_functions.hpp on the first OpenCL device.
#include "support/device_functions.hpp"
#include "support/opencl_compare.hpp"
