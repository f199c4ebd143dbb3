// SPDX-License-Identifier: Apache-2.0
// The cases of device_random_graphs.hpp on the first OpenCL device.
// tkl-test: timeout=900
#include "support/device_random_graphs.hpp"
#include "support/opencl_compare.hpp"
