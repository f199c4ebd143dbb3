// SPDX-License-Identifier: Apache-2.0
// The cases of device_network.hpp on the first OpenCL device.
#include "support/device_network.hpp"
#include "support/opencl_compare.hpp"
