// SPDX-License-Identifier: Apache-2.0
// The models of work_items/hard_models.hpp on the simulated GPU.
// tkl-test: defines=TKL_HARD_ON_DEVICE timeout=600
#include "support/cuda_compare.hpp"
#include "work_items/hard_models.hpp"
