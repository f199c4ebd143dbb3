// SPDX-License-Identifier: Apache-2.0
// exact<Target>: the target without algorithms that round otherwise than the definition. A convolution then sums its
// products as they stand; Winograd's algorithm, whose error is up to 1e-5 of the output's range, never runs.
#pragma once

#include <tkl/graph/program.hpp>

namespace tkl {

/// compile<Model, exact<cpu<>>>.
template <class Target>
struct exact : Target {
  static constexpr target_facts facts() {
    target_facts f = Target::facts();
    f.winograd = false;
    return f;
  }
};

}  // namespace tkl
