// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/half_storage.hpp on the first OpenCL device.
// tkl-test: timeout=900
#include "support/opencl_compare.hpp"
#include "work_items/half_storage.hpp"
