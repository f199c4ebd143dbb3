// SPDX-License-Identifier: Apache-2.0
// A plan as a text for people: totals, then one row per step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/graph/chain_text.hpp>
#include <tkl/graph/conv_choice.hpp>
#include <tkl/graph/footprint.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/plan_view.hpp>
#include <tkl/graph/step_cost.hpp>
#include <tkl/graph/tuned_record.hpp>
#include <tkl/graph/weights_text.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// Rows of cells, set in columns as wide as their widest cell. A note is a line of its own below its row.
class text_table {
 public:
  explicit text_table(std::vector<std::string_view> heads, std::vector<bool> right)
      : heads_(std::move(heads)), right_(std::move(right)) {}
  void row(std::vector<std::string> cells) { rows_.push_back({std::move(cells), {}}); }
  void note(std::string text) { rows_.back().notes.push_back(std::move(text)); }

  std::string text() const {
    std::vector<std::size_t> width(heads_.size());
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      width[i] = heads_[i].size();
      for (const line& r : rows_) width[i] = (std::max)(width[i], r.cells[i].size());
    }
    std::string t;
    const auto put = [&](const auto& cells) {
      std::string l;
      for (std::size_t i = 0; i < width.size(); ++i) {
        const std::string pad(width[i] - cells[i].size(), ' ');
        if (i) l += "  ";
        l += right_[i] ? pad + std::string(cells[i]) : std::string(cells[i]) + pad;
      }
      t += l.substr(0, l.find_last_not_of(' ') + 1) + '\n';
    };
    put(heads_);
    for (const line& r : rows_) {
      put(r.cells);
      for (const std::string& n : r.notes) t += std::string(width[0] + 2, ' ') + n + '\n';
    }
    return t;
  }

 private:
  struct line {
    std::vector<std::string> cells;
    std::vector<std::string> notes;
  };
  std::vector<std::string_view> heads_;
  std::vector<bool> right_;
  std::vector<line> rows_{};
};

/// "[0, 245760)" of the arena, "input 0", "output 1", "weights"; "output 1 [0, 4096)" of a value that lies there for a
/// while.
inline std::string range_text(const plan_view& p, int e) {
  const edge& x = p.edges[e];
  std::string where;
  if (x.where != space::arena) {
    const bool numbered = x.where == space::input || x.where == space::output;
    where = std::string(name_of(x.where)) + (numbered ? ' ' + std::to_string(x.index) : "");
    if (x.where != space::output || p.edge_storage[e] == p.edge_storage[p.outputs[x.index]]) return where;
    where += ' ';
  }
  const footprint f = footprint_of(x);
  return where + '[' + std::to_string(f.base) + ", " + std::to_string(f.end()) + ')';
}

/// "winograd4: 2.81 Mcycles estimated (direct 7.90 M, winograd2 4.52 M)" for a convolution that had the choice, else
/// empty.
inline std::string choice_text(const plan_view& p, const step& s) {
  const step_parameters& q = s.parameters;
  if (p.facts == nullptr || !p.facts->winograd || p.facts->stored != element::f32) return {};
  if (s.algorithm != algorithm::conv2d && s.algorithm != algorithm::winograd) return {};
  if (!suits_winograd(q.kernel, q.stride, q.dilation, q.groups)) return {};
  const edge &x = p.edges[s.in[0]], &y = p.edges[s.out];
  const winograd_shape shape{y.extent[0], y.extent[1], y.extent[2], x.extent[3], y.extent[3]};
  std::string chosen, others;
  for (const conv_method m : {conv_method::direct, conv_method::winograd2, conv_method::winograd4}) {
    const std::int64_t cycles = conv_cycles(shape, m, machine_of(*p.facts));
    if (winograd_outputs(m) == (s.algorithm == algorithm::winograd ? q.mode : 0))
      chosen = std::string(name_of(m)) + ": " + count_text(cycles, "cycles") + " estimated";
    else
      others += (others.empty() ? "" : ", ") + std::string(name_of(m)) + ' ' + count_text(cycles);
  }
  return chosen + " (" + others + ')';
}

/// "tuned: mr 4, nr 2, kc 128, mc 64 (record 1, measured 1.08 times as fast as the default)" for a step with a tuned
/// schedule, else empty.
inline std::string tuned_text(const plan_view& p, const step& s) {
  if (p.records == nullptr || p.kernels == nullptr || p.kernels[s.kernel].schedule == 0) return {};
  const step_kind kind = kind_of(s, p.edges);
  int i = 0;
  while (!(p.records[i].kind == kind)) ++i;
  const tuned_record& r = p.records[i];
  std::string t = "tuned: " + std::string(schedule_text(r).view()) + " (record " + std::to_string(i);
  if (r.tuned_ns > 0) t += ", measured " + ratio_text(r.default_ns, r.tuned_ns) + " times as fast as the default";
  return t + ')';
}

}  // namespace impl

/// Totals, and per step: number, algorithm, kernel, input -> output shapes, window, arithmetic, bytes read and written,
/// where input and output lie in the arena, name; below it the estimates of a convolution that had a choice, a tuned
/// schedule, the types of weights where the target rounds them, and the fused expressions.
inline std::string report(const plan_view& p) {
  const step_cost sum = cost_of(p);
  std::string t;
  if (!p.title.empty()) t += std::string(p.title) + '\n';
  t += std::to_string(p.step_count) + " steps, " + std::to_string(p.kernel_count) + " kernels" +
       (p.stage_count == 0 ? "" : ", " + std::to_string(p.stage_count) + " stages of chains") + ", " +
       count_text(sum.flops, "FLOP") + ", " + bytes_text(sum.bytes_read) + " read, " + bytes_text(sum.bytes_written) +
       " written, " + bytes_text(p.weights_bytes) + " of packed weights" + narrow_weights_text(p) + '\n';
  t += "arena " + std::to_string(p.arena_bytes) + " bytes (" + bytes_text(p.arena_bytes) + ')';
  if (p.lower_bound > 0)
    t += ", lower bound " + std::to_string(p.lower_bound) + ", ratio " + ratio_text(p.arena_bytes, p.lower_bound);
  t += "\n\n";

  impl::text_table table({"step", "algorithm", "kernel", "input", "output", "window", "FLOP", "read", "written",
                          "input at", "output at", "name"},
                         {true, false, true, false, false, false, true, true, true, false, false, false});
  for (int i = 0; i < p.step_count; ++i) {
    const step& s = p.steps[i];
    const step_cost c = cost_of(p, i);
    const step_reads reads = reads_of(s);
    int first = -1;  // what a map reads are its operands
    for (int k = 0; k < reads.count && first < 0; ++k)
      if (reads.at[k].role != edge_role::weight) first = reads.at[k].edge;
    table.row({std::to_string(i), algorithm_text(p, s), std::to_string(s.kernel),
               first < 0 ? "" : shape_text(p.edges[first]), shape_text(p.edges[s.out]), window_text(s),
               count_text(c.flops), bytes_text(c.bytes_read), bytes_text(c.bytes_written),
               first < 0 ? "" : impl::range_text(p, first), impl::range_text(p, s.out),
               tail_text(label_of_step(p, i), 40)});
    std::string others;
    for (int k = 0; k < reads.count; ++k) {
      const edge_use& use = reads.at[k];
      if (use.edge == first || use.role == edge_role::weight || p.edges[use.edge].where == space::weights) continue;
      others += (others.empty() ? "also reads " : ", ") + shape_text(p.edges[use.edge]) + " at " +
                impl::range_text(p, use.edge);
    }
    if (!others.empty()) table.note(others);
    if (s.scratch >= 0)
      table.note("scratch " + bytes_text(bytes_of(p.edges[s.scratch])) + " at " + impl::range_text(p, s.scratch));
    if (const std::string choice = impl::choice_text(p, s); !choice.empty()) table.note(choice);
    if (const std::string tuned = impl::tuned_text(p, s); !tuned.empty()) table.note(tuned);
    if (const std::string w = weights_text(p, s); !w.empty()) table.note(w);
    for (const std::string& line : chain_notes(p, i)) table.note(line);
    if (const std::string e = prologue_text(p, s); !e.empty()) table.note("x = " + e);
    if (const std::string e = epilogue_text(p, s); !e.empty()) table.note("= " + e);
  }
  return t + table.text();
}

TKL_ISA_END
}  // namespace tkl
