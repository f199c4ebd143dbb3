// SPDX-License-Identifier: Apache-2.0
// half_weights<Target>: the target with weights of 16 bits, rounded when they are loaded, and all else in f32: values
// between steps, sums, biases, constants per channel (graph/passes/half_storage.hpp). Half the memory for weights, and
// for products with few rows half of what they wait for.
#pragma once

#include <tkl/graph/program.hpp>

namespace tkl {

/// compile<Model, half_weights<cpu<>>>, compile<Model, half_weights<cpu<>, element::bf16>>. Weights files may hold f32,
/// f16 or bf16 where the model says f32. Weights transformed for Winograd's algorithm stay f32; exact<Target> has
/// none. On x86, f16 wants F16C (-mf16c): without it numbers are widened by integer arithmetic.
template <class Target, element Type = element::f16>
struct half_weights : Target {
  static_assert(Type == element::f16 || Type == element::bf16, "half_weights: the types of 16 bits are f16 and bf16");
  static_assert(
      Target::facts().wide_biases,
      "half_weights: this target's kernels read biases in the type of the weights (half_storage is for them)");
  static constexpr target_facts facts() {
    target_facts f = Target::facts();
    f.packed = Type;
    return f;
  }
};

}  // namespace tkl
