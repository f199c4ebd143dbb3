// SPDX-License-Identifier: Apache-2.0
// The models of tests/hard/test_hard_rows.cpp on the first OpenCL device.
// tkl-test: defines=TKL_HARD_ON_OPENCL timeout=600
#include "hard/test_hard_rows.cpp"
