// SPDX-License-Identifier: Apache-2.0
// Compiled models on the CPU: compile<Model, cpu<...>> and buckets<Model, cpu<...>, shapes...>.
#pragma once

#include <tkl/exec/cpu.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/buckets.hpp>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/exact.hpp>
#include <tkl/graph/half_storage.hpp>
#include <tkl/graph/half_weights.hpp>
#include <tkl/graph/lend_outputs.hpp>
#include <tkl/graph/outputs.hpp>
