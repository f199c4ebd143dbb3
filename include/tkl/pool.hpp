// SPDX-License-Identifier: Apache-2.0
// Max, average and global pooling of tensors, ready to run on the CPU.
#pragma once

#include <tkl/exec/assign.hpp>
#include <tkl/exec/evaluate_pool.hpp>
#include <tkl/exec/evaluate_reduce.hpp>
#include <tkl/op/reduce_expression.hpp>
#include <tkl/op/spatial_expression.hpp>
