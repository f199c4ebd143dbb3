// SPDX-License-Identifier: Apache-2.0
// half_storage<Target>: the target with f16 as the type of what steps hand to each other and of packed weights. The
// model stays as it is, inputs and outputs keep their types, sums are f32 (graph/passes/half_storage.hpp).
#pragma once

#include <tkl/graph/program.hpp>

namespace tkl {

/// compile<Model, half_storage<cpu<>>>, compile<Model, half_storage<opencl<arch::mali_g52>>>.
template <class Target>
struct half_storage : Target {
  static_assert(Target::loads_half_weights, "half_storage: this target's kernels do not load packed weights of f16");
  static constexpr target_facts facts() {
    target_facts f = Target::facts();
    f.stores_half = true;
    return f;
  }
};

}  // namespace tkl
