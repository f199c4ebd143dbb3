// SPDX-License-Identifier: Apache-2.0
// Attention of tensors, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_attention.hpp>
#include <tkl/op/attention_expression.hpp>
