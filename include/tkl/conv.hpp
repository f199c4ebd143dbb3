// SPDX-License-Identifier: Apache-2.0
// Convolutions of tensors, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_conv.hpp>
#include <tkl/exec/pack_conv.hpp>
#include <tkl/op/conv_expression.hpp>
