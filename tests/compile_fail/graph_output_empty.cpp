// expect: output 'y': an empty value
// SPDX-License-Identifier: Apache-2.0
// An output that was never made.
#include <tkl/graph.hpp>

struct model {
  static constexpr void build(tkl::graph& g) { g.output(tkl::value{}, "y"); }
};
static_assert(tkl::checked_model<model>::sound);
