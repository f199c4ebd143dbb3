// SPDX-License-Identifier: Apache-2.0
// Chains: neighbouring steps that are convolutions hand rows on to each other and become one step, where that pays.
//
// Rule: two or three steps, one behind the other, each of which is the only reader of what the one before it writes to
// the arena; the estimate of graph/chain_choice.hpp decides, or the node of the step that takes the rows. Obligation:
// every stage computes what it computed as a step; the tensors between them are no outputs and have no other reader,
// and only the last stage combines its result with computed values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/graph/chain_choice.hpp>
#include <tkl/graph/passes/lowering.hpp>
#include <tkl/graph/passes/order.hpp>
#include <tkl/graph/program.hpp>
#include <utility>
#include <vector>

namespace tkl {

namespace detail {

/// Neighbouring steps that become one.
struct chain_found {
  int first = 0;
  chain_choice choice{};
};

/// What the stages need at once: their windows, and the scratch of one of them at a time.
template <class ScratchBytes>
constexpr std::int64_t chain_scratch_bytes(const program& p, const step& s, ScratchBytes scratch_bytes) {
  std::int64_t most = 0;
  for (int i = 0; i < s.parameters.mode; ++i)
    most = (std::max)(most, scratch_bytes(p.stages[static_cast<std::size_t>(s.stage + i)], p.edges.data()));
  return chain_of(s, p.stages.data(), p.edges.data()).bytes() + most;
}

/// Complains about a step that shall take its input by rows and cannot.
constexpr void fail_chain(lowering& l, int i, std::string_view why) {
  const step& s = l.out.steps[static_cast<std::size_t>(i)];
  const std::int32_t node = l.out.edges[static_cast<std::size_t>(s.weight)].name;
  l.out.error << name_of(s.algorithm) << " '" << l.g.name_at(node) << "': chain is always, but ";
  if (why.empty()) {
    l.out.error << "the chain that ends before it has " << max_stages << " stages already";
  } else {
    l.out.error << why;
  }
}

/// Moves the steps of chains to the program's stages.
constexpr void replace_steps(program& p, const std::vector<chain_found>& found) {
  const std::vector<step> steps = std::exchange(p.steps, {});
  const std::vector<kernel_key> keys = std::exchange(p.keys, {});
  const auto key_of = [&](const step& s) { return keys[static_cast<std::size_t>(s.kernel)]; };
  std::size_t next = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    step s = steps[i];
    if (next == found.size() || found[next].first != static_cast<int>(i)) {
      s.kernel = number_of(p.keys, key_of(s));
      p.steps.push_back(s);
      continue;
    }
    const chain_choice& c = found[next++].choice;
    step chain;
    chain.algorithm = algorithm::conv_chain;
    chain.stage = static_cast<std::int16_t>(p.stages.size());
    chain.parameters.mode = static_cast<std::uint8_t>(c.stages);
    chain.parameters.reach = static_cast<std::int32_t>(c.estimate.rows.band);
    chain.in[0] = s.in[0];
    for (int k = 0; k < c.stages; ++k, ++i) {
      s = steps[i];
      s.kernel = number_of(p.stage_keys, key_of(s));
      p.stages.push_back(s);
    }
    --i;
    for (int k = 0; k < max_operands; ++k) chain.operand[k] = s.operand[k];
    chain.out = s.out;
    chain.name = s.name;
    kernel_key key;
    key.algorithm = algorithm::conv_chain;
    chain.kernel = number_of(p.keys, key);
    p.steps.push_back(chain);
  }
}

}  // namespace detail

/// Runs when all steps are there, before their order, scratch and memory are planned.
constexpr void form_chains(lowering& l) {
  program& p = l.out;
  if (!l.facts.chains) return;
  const plan_view v = view_of(p);
  std::vector<detail::chain_found> found;
  for (int i = 0; i < v.step_count; ++i) {
    if (asks_for_chain(v.steps[i])) return detail::fail_chain(l, i, not_by_rows(v, i - 1));
    if (!may_chain(v, i) || !(asks_for_chain(v.steps[i + 1]) || leaves_cache(v, i, l.facts))) continue;
    const chain_choice c = chosen_chain(v, i, l.facts);
    if (c.stages == 0) continue;
    if (!asks_for_chain(v.steps[i + 1]) && chosen_chain(v, i + 1, l.facts).estimate.gain() > c.estimate.gain())
      continue;
    found.push_back({i, c});
    i += c.stages - 1;
  }
  if (found.empty()) return;
  detail::replace_steps(p, found);
  find_lifetimes(p);
  count_traffic(p);
}

}  // namespace tkl
