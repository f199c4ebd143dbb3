// SPDX-License-Identifier: Apache-2.0
// half_storage<Target>: the target with f16, or bf16, as the type of what steps hand to each other and of packed
// weights. The model stays as it is, inputs and outputs keep their types, sums are f32 (graph/passes/half_storage.hpp).
#pragma once

#include <tkl/graph/program.hpp>

namespace tkl {

/// compile<Model, half_storage<cpu<>>>, compile<Model, half_storage<cuda<arch::sm_80>, element::bf16>>.
template <class Target, element Type = element::f16>
struct half_storage : Target {
  static_assert(Type == element::f16 || Type == element::bf16, "half_storage: the types of 16 bits are f16 and bf16");
  static constexpr target_facts facts() {
    target_facts f = Target::facts();
    f.stored = f.packed = Type;
    return f;
  }
};

}  // namespace tkl
