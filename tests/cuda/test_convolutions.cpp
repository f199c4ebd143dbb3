// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/convolutions.hpp on the simulated GPU.
#include "support/cuda_compare.hpp"
#include "work_items/convolutions.hpp"
