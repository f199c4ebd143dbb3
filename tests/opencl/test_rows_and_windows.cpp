// SPDX-License-Identifier: Apache-2.0
// The cases of device_rows_and_windows.hpp on the first OpenCL device.
#include "support/device_rows_and_windows.hpp"
#include "support/opencl_compare.hpp"
