// SPDX-License-Identifier: Apache-2.0
// The cases of device_random_graphs.hpp on the CPU that simulates a GPU.
// tkl-test: timeout=900
#include "support/cuda_compare.hpp"
#include "support/device_random_graphs.hpp"
