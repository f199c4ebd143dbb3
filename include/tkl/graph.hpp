// SPDX-License-Identifier: Apache-2.0
// Everything that the source of a model needs: the graph builder and every op as a function of graph values.
// No machine, no code generation: `tkl/cpu.hpp` compiles a model.
#pragma once

#include <tkl/core/layout.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/op/attention.hpp>
#include <tkl/op/cast.hpp>
#include <tkl/op/concat.hpp>
#include <tkl/op/conv.hpp>
#include <tkl/op/cost.hpp>
#include <tkl/op/elementwise.hpp>
#include <tkl/op/keep_first.hpp>
#include <tkl/op/matmul.hpp>
#include <tkl/op/normalise.hpp>
#include <tkl/op/pad.hpp>
#include <tkl/op/pool.hpp>
#include <tkl/op/reduce.hpp>
#include <tkl/op/reshape.hpp>
#include <tkl/op/resize.hpp>
#include <tkl/op/slice.hpp>
#include <tkl/op/softmax.hpp>
#include <tkl/op/transpose.hpp>
