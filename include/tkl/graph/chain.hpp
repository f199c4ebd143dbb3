// SPDX-License-Identifier: Apache-2.0
// The rows of a chain, from its stages as steps.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/graph/plan.hpp>
#include <tkl/schedule/conv_chain.hpp>

namespace tkl {

/// `count` stages from `stages` on; the band is left to the caller.
TKL_TAGGED constexpr chain_rows rows_of_stages(const step* stages, int count, const edge* edges) {
  chain_rows c;
  c.stages = count;
  c.in_rows = edges[stages->in[0]].extent[1];
  for (int i = 0; i < count; ++i) {
    const step_parameters& q = stages[i].parameters;
    const edge& y = edges[stages[i].out];
    const std::int64_t row = std::int64_t{y.extent[2]} * y.extent[3];
    c.stage[i] = {y.extent[1],   row * static_cast<std::int64_t>(size_of(y.type)),
                  q.kernel[0],   q.stride[0],
                  q.dilation[0], q.pad[0]};
  }
  return c;
}

/// The chain of a step; `stages`: of the whole plan.
TKL_TAGGED constexpr chain_rows chain_of(const step& s, const step* stages, const edge* edges) {
  chain_rows c = rows_of_stages(stages + s.stage, s.parameters.mode, edges);
  c.band = s.parameters.reach;
  return c;
}

}  // namespace tkl
