// SPDX-License-Identifier: Apache-2.0
// Reductions of tensors over axes, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_reduce.hpp>
#include <tkl/op/reduce_expression.hpp>
