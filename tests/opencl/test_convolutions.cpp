// SPDX-License-Identifier: Apache-2.0
// The cases of device_convolutions.hpp on the first OpenCL device.
#include "support/device_convolutions.hpp"
#include "support/opencl_compare.hpp"
