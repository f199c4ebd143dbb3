// SPDX-License-Identifier: Apache-2.0
// Layer normalisation and batch normalisation of tensors, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_rows.hpp>
#include <tkl/op/row_expression.hpp>
