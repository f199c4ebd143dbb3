// SPDX-License-Identifier: Apache-2.0
// The cases of work_items/random_graphs.hpp on the simulated GPU.
// tkl-test: timeout=900 sanitize=alignment
#include "support/cuda_compare.hpp"
#include "work_items/random_graphs.hpp"
