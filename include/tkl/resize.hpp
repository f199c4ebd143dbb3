// SPDX-License-Identifier: Apache-2.0
// Resizing and padding of tensors, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_resize.hpp>
#include <tkl/op/spatial_expression.hpp>
