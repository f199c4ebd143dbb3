// SPDX-License-Identifier: Apache-2.0
// Matrix products of tensors (matmul, linear, gemm), ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_matmul.hpp>
#include <tkl/exec/pack_matrix.hpp>
#include <tkl/op/matmul_expression.hpp>
