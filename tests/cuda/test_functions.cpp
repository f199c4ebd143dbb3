// SPDX-License-Identifier: Apache-2.0
// The cases of device_functions.hpp on the CPU that simulates a GPU.
#include "support/cuda_compare.hpp"
#include "support/device_functions.hpp"
