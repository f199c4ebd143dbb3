// SPDX-License-Identifier: Apache-2.0
// Every op of tensors, ready to run on the CPU. Including the header of one op family compiles faster; models are
// graphs: tkl/graph.hpp and tkl/cpu.hpp.
#pragma once

#include <tkl/attention.hpp>
#include <tkl/conv.hpp>
#include <tkl/elementwise.hpp>
#include <tkl/gemm.hpp>
#include <tkl/layernorm.hpp>
#include <tkl/pool.hpp>
#include <tkl/reduce.hpp>
#include <tkl/resize.hpp>
#include <tkl/softmax.hpp>
