// SPDX-License-Identifier: Apache-2.0
// The models of tests/hard whose results are known exactly, on a device: those of one step each, and those that show
// what fusing, folding, views and memory plans must leave as it is. One program, since most of each file is the same.
// Not here: chains and threads, which devices do not have; sizes, where nothing runs; a small stack.
#pragma once

#include "hard/test_hard_activations.cpp"
#include "hard/test_hard_attention.cpp"
#include "hard/test_hard_conv.cpp"
#include "hard/test_hard_conv_transpose.cpp"
#include "hard/test_hard_fusion.cpp"
#include "hard/test_hard_matmul.cpp"
#include "hard/test_hard_memory.cpp"
#include "hard/test_hard_pool.cpp"
#include "hard/test_hard_rows.cpp"
#include "hard/test_hard_shape.cpp"
