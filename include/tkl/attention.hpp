// SPDX-License-Identifier: Apache-2.0
// Attention of tensors, ready to run on the CPU: attention(q, k, v), plus a mask, or with a score (tkl::scores).
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_attention.hpp>
#include <tkl/op/attention_expression.hpp>
#include <tkl/op/attention_score.hpp>
