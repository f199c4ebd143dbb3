// SPDX-License-Identifier: Apache-2.0
// Element-wise expressions, copies and conversions of tensors, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/op/operand_views.hpp>
