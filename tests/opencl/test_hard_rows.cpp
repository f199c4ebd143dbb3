// SPDX-License-Identifier: Apache-2.0
// The models of tests/hard/test_hard_rows.cpp, of activations and of attention on the first OpenCL device: one program,
// since most of each is the same.
// tkl-test: defines=TKL_HARD_ON_OPENCL timeout=600
#include "hard/test_hard_rows.cpp"

#include "hard/test_hard_activations.cpp"
#include "hard/test_hard_attention.cpp"
