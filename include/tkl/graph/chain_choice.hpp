// SPDX-License-Identifier: Apache-2.0
// Chained or one after the other: which convolutions can hand rows on to the next step, and where an estimate says that
// it pays. The passes and the report ask the same functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/graph/chain.hpp>
#include <tkl/graph/plan_view.hpp>

namespace tkl {

namespace detail {

TKL_TAGGED constexpr bool runs_by_rows(const step& s) {
  return s.algorithm == algorithm::conv2d || s.algorithm == algorithm::depthwise;
}

/// Whether the epilogue of a step asks for the place of its element, which rows of a window do not know.
TKL_TAGGED constexpr bool reads_index(const plan_view& p, const step& s) {
  const expr_code& code = p.kernels[s.kernel].epilogue;
  for (int i = 0; i < code.size; ++i)
    if (code.at[i].is_leaf() && code.at[i].kind() == leaf_kind::index) return true;
  return false;
}

/// Whether two edges of one storage are all of it, row after row.
TKL_TAGGED constexpr bool whole_rows(const edge& a, const edge& b) {
  std::int64_t elements = 1;
  for (int i = plan_rank - 1; i >= 0; --i) {
    if (a.extent[i] != b.extent[i]) return false;
    if (a.extent[i] > 1 && (a.stride[i] != elements || b.stride[i] != elements)) return false;
    elements *= a.extent[i];
  }
  return a.offset == b.offset;
}

}  // namespace detail

/// Why step i + 1 cannot take the result of step i row by row; empty when it can.
TKL_TAGGED constexpr std::string_view not_by_rows(const plan_view& p, int i) {
  if (i < 0 || !detail::runs_by_rows(p.steps[i])) return "the step before it is not a convolution that runs by rows";
  const step &a = p.steps[i], &b = p.steps[i + 1];
  if (!detail::runs_by_rows(b)) return "it does not run by rows itself";
  const std::int32_t value = p.edge_storage[a.out];
  if (p.edge_storage[b.in[0]] != value) return "the step before it does not compute its input";
  const storage& s = p.storages[value];
  if (s.where != space::arena) return "its input is also an output of the model";
  bool other = s.first != i || s.last != i + 1 || s.root >= 0;
  for (const std::int16_t e : b.operand) other = other || (e >= 0 && p.edge_storage[e] == value);
  if (other) return "its input is also read elsewhere";
  if (!detail::whole_rows(p.edges[a.out], p.edges[b.in[0]])) return "its input is another view of what was computed";
  for (const std::int16_t e : a.operand)
    if (e >= 0 && p.edges[e].where != space::weights) return "the step before it combines computed values";
  if (detail::reads_index(p, a) || detail::reads_index(p, b)) return "an expression asks for the place of an element";
  return {};
}

TKL_TAGGED constexpr bool asks_for_chain(const step& s) {
  return detail::runs_by_rows(s) && s.parameters.mode == static_cast<std::uint8_t>(conv_chaining::always);
}

/// Whether steps i and i + 1 are worth a closer look: a depthwise convolution, which does little with what it moves,
/// and a neighbour; or any two convolutions where the second asks for it.
TKL_TAGGED constexpr bool may_chain(const plan_view& p, int i) {
  if (i + 1 >= p.step_count) return false;
  const step &a = p.steps[i], &b = p.steps[i + 1];
  if (!detail::runs_by_rows(a) || !detail::runs_by_rows(b)) return false;
  if (b.parameters.mode == static_cast<std::uint8_t>(conv_chaining::never)) return false;
  return asks_for_chain(b) || a.algorithm == algorithm::depthwise || b.algorithm == algorithm::depthwise;
}

/// What a chain would save and spend, in cycles.
struct chain_estimate {
  chain_rows rows{};
  std::int64_t kept_bytes = 0;  // what the tensors in between have beyond the second-level cache
  std::int64_t saved = 0;       // writing and reading those
  std::int64_t moved = 0;       // moving rows that two bands share
  std::int64_t cut = 0;         // reading weights again for each band, register tiles that are not full
  std::int64_t live = 0;        // bytes of input, result and windows, less the most that two neighbouring tensors take
  std::int64_t products = 0;    // of the stages that sum over channels, which no chain makes faster
  TKL_TAGGED constexpr std::int64_t gain() const { return saved - moved - cut; }
  /// Whether that is worth it: the estimate is too rough for what saves less than twice what it spends, or less than an
  /// eighth of the products. Nor may the arena grow by it.
  TKL_TAGGED constexpr bool pays() const { return live <= 0 && saved >= 2 * (moved + cut) && gain() > products / 8; }
};

/// Rows of the result that are computed together: as many as keep the windows in `room` bytes, all bands alike.
TKL_TAGGED constexpr std::int64_t chain_band(chain_rows c, std::int64_t room) {
  const std::int64_t rows = (std::max)(c.stage[c.stages - 1].rows, std::int64_t{1});
  const std::int64_t one = c.bytes();
  c.band = 2;
  const std::int64_t next = (std::max)(c.bytes() - one, std::int64_t{1});
  c.band = (std::min)(rows, (std::max)((room - one) / next, std::int64_t{0}) + 1);
  return ceil_div(rows, ceil_div(rows, c.band));
}

/// The estimate for `count` stages. A byte that does not stay in the second-level cache costs 1/16 of a cycle when it
/// is written and when it is read, a byte of weights as much, a moved byte 1/8; each band ends in a register tile that
/// is half empty.
TKL_TAGGED constexpr chain_estimate estimate_chain(const step* stages, int count, const edge* edges,
                                                   const target_facts& f) {
  const std::int64_t none = 0;
  chain_estimate e;
  e.rows = rows_of_stages(stages, count, edges);
  e.rows.band = chain_band(e.rows, f.l2_bytes / 2);
  const edge& y = edges[stages[count - 1].out];
  const std::int64_t images = y.extent[0], bands = ceil_div(std::int64_t{y.extent[1]}, e.rows.band);
  const auto bytes_of_rows = [&](std::int16_t k) {
    const edge& t = edges[k];
    return images * t.extent[1] * t.extent[2] * t.extent[3] * static_cast<std::int64_t>(size_of(t.type));
  };
  std::int64_t apart = 0;
  for (int i = 0; i < count; ++i)
    apart = (std::max)(apart, bytes_of_rows(stages[i].in[0]) + bytes_of_rows(stages[i].out));
  e.live = bytes_of_rows(stages->in[0]) + bytes_of_rows(stages[count - 1].out) + e.rows.bytes() - apart;
  const std::int64_t cuts = images * (std::max)(none, bands - 1);
  for (int i = 0; i < count; ++i) {
    const chain_stage& s = e.rows.stage[i];
    if (i + 1 < count) {
      const chain_stage& next = e.rows.stage[i + 1];
      e.kept_bytes += (std::max)(none, images * s.rows * s.row_bytes - f.l2_bytes);
      e.moved += cuts * (std::max)(none, (std::min)(s.rows, next.reach()) - next.stride) * s.row_bytes / 8;
    }
    if (stages[i].algorithm != algorithm::conv2d || bands == 0) continue;
    const edge &w = edges[stages[i].weight], &r = edges[stages[i].out];
    const std::int64_t pixels = std::int64_t{r.extent[1]} * r.extent[2], block = f.block_rows;
    const std::int64_t again =
        images * bands * ceil_div(ceil_div(pixels, bands), block) - ceil_div(images * pixels, block);
    e.products += images * pixels * w.extent[3] / (2 * f.width);
    e.cut += (std::max)(none, again) * w.extent[3] * static_cast<std::int64_t>(size_of(w.type)) / 16 +
             cuts * w.extent[3] * f.rows / (4 * f.width);
  }
  e.saved = e.kept_bytes / 8;
  return e;
}

/// A chain that begins at some step: no stages where none should.
struct chain_choice {
  int stages = 0;
  chain_estimate estimate{};
};

/// Whether a chain that begins with step i could save anything: the result of step i or i + 1 does not stay in the
/// second-level cache.
TKL_TAGGED constexpr bool leaves_cache(const plan_view& p, int i, const target_facts& f) {
  for (int k = i; k < i + max_stages - 1 && k < p.step_count; ++k)
    if (p.storages[p.edge_storage[p.steps[k].out]].bytes > f.l2_bytes) return true;
  return false;
}

/// The chain that begins with step i: what its nodes ask for, or what gains most of those that pay and end in a
/// convolution that sums over channels; none that parts two steps which ask to be together.
TKL_TAGGED constexpr chain_choice chosen_chain(const plan_view& p, int i, const target_facts& f) {
  chain_choice best;
  std::int64_t gain = 0;
  bool large = false;  // whether a value in between does not stay in the second-level cache: else nothing is saved
  for (int stages = 2; stages <= max_stages; ++stages) {
    const int last = i + stages - 1;
    if (!may_chain(p, last - 1) || !not_by_rows(p, last - 1).empty()) break;
    large = large || p.storages[p.edge_storage[p.steps[last - 1].out]].bytes > f.l2_bytes;
    const bool asked = asks_for_chain(p.steps[last]);
    const bool parts = last + 1 < p.step_count && asks_for_chain(p.steps[last + 1]);
    const bool automatic = large && !parts && p.steps[last].algorithm == algorithm::conv2d;
    if (!asked && !automatic) continue;
    const chain_estimate e = estimate_chain(p.steps + i, stages, p.edges, f);
    if (asked || (e.pays() && e.gain() > gain)) best = {stages, e}, gain = e.gain();
  }
  return best;
}

}  // namespace tkl
