// SPDX-License-Identifier: Apache-2.0
// Element-wise expressions, copies, conversions, slices, permutations and concatenations of tensors, ready to run on
// the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_concat.hpp>
#include <tkl/op/concat_expression.hpp>
#include <tkl/op/operand_views.hpp>
