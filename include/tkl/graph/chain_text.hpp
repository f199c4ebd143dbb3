// SPDX-License-Identifier: Apache-2.0
// Chains as text for people: their stages, and what the estimate said of chains that are there and of those that could
// be.
#pragma once

#include <cstdint>
#include <string>
#include <tkl/config.hpp>
#include <tkl/graph/chain_choice.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/plan_view.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// "310 kcycles saved (4.59 MiB beyond the cache), 60 k to move rows, 12 k for the cut".
inline std::string estimate_text(const chain_estimate& e) {
  return count_text(e.saved, "cycles") + " saved (" + bytes_text(e.kept_bytes) + " beyond the cache), " +
         count_text(e.moved) + " to move rows, " + count_text(e.cut) + " for the cut into bands";
}

}  // namespace impl

/// Lines about a step: what its stages are, or why it takes no rows from the step before it. Empty for a step that is
/// not near a chain.
inline std::vector<std::string> chain_notes(const plan_view& p, int i) {
  std::vector<std::string> lines;
  const step& s = p.steps[i];
  if (p.facts == nullptr || !p.facts->chains) return lines;
  if (s.algorithm == algorithm::conv_chain) {
    const step* const stages = p.stages + s.stage;
    const chain_estimate e = estimate_chain(stages, s.parameters.mode, p.edges, *p.facts);
    lines.push_back("by " + std::to_string(s.parameters.reach) + " rows: " + impl::estimate_text(e) + "; stages");
    for (int k = 0; k < s.parameters.mode; ++k) {
      std::string line =
          algorithm_text(p, stages[k]) + ' ' + window_text(stages[k]) + " to " + shape_text(p.edges[stages[k].out]);
      const std::string what = epilogue_text(p, stages[k], p.stage_kernels);
      lines.push_back("  " + line + (what.empty() ? "" : " = " + what));
    }
    return lines;
  }
  if (i == 0 || !may_chain(p, i - 1) || !not_by_rows(p, i - 1).empty()) return lines;
  const chain_estimate e = estimate_chain(p.steps + i - 1, 2, p.edges, *p.facts);
  lines.push_back("takes no rows from step " + std::to_string(i - 1) + ": " + impl::estimate_text(e));
  return lines;
}

TKL_ISA_END
}  // namespace tkl
