// SPDX-License-Identifier: Apache-2.0
// lend_outputs<Target>: the target whose plans use the caller's output buffers as memory until the results are written
// there (graph/passes/lent_outputs.hpp). A model with a large output then has a smaller arena.
#pragma once

#include <tkl/graph/program.hpp>

namespace tkl {

/// compile<Model, lend_outputs<cpu<>>>. What an output buffer holds while the model runs is not its result: nobody else
/// may look, and memory that the processor reads slowly (of a device, not cached) is no buffer for it. Buffers at
/// multiples of 64 bytes are the fastest; others are as right.
template <class Target>
struct lend_outputs : Target {
  static_assert(Target::facts().writes_outputs,
                "lend_outputs: this target's kernels do not write into the caller's buffers");
  static constexpr target_facts facts() {
    target_facts f = Target::facts();
    f.lends_outputs = true;
    return f;
  }
};

}  // namespace tkl
