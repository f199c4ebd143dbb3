// SPDX-License-Identifier: Apache-2.0
// Judges a plan by its steps and edges alone: what each step reads must be what the steps before it wrote there.
//
// Lifetimes are not taken from the planner. A read of an edge is right when every byte of it was written before by a
// step whose result belongs to the same storage, and no step in between wrote another value over it. So overlapping
// live ranges, use before the write, use after the room was given away and views that outlive their storage are one
// fault seen from the reader's side. Writes over what the same step reads are legal only element by element (in place).
//
// Usable at run time and in constant evaluation; nothing is allocated but the footprints. A plan that puts a foreign
// value into the not yet written part of a partly written one is refused, right or not.
#pragma once

#include <cstdint>
#include <tkl/core/status.hpp>
#include <tkl/graph/chain.hpp>
#include <tkl/graph/footprint.hpp>
#include <tkl/graph/plan_view.hpp>
#include <vector>

namespace tkl {

namespace detail {

struct plan_validator {
  const plan_view& p;
  std::vector<footprint> prints{};      // per edge
  std::vector<std::uint8_t> touched{};  // per storage: a step uses it
  message_text fault{};

  constexpr bool failed() const { return !fault.empty(); }
  constexpr const footprint& print(int e) const { return prints[static_cast<std::size_t>(e)]; }
  constexpr const edge& at(int e) const { return p.edges[e]; }

  constexpr void quote(std::string_view name) {
    if (!name.empty()) fault << " '" << name << '\'';
  }
  constexpr void say_step(int s) {
    fault << "step " << s;
    quote(p.name_of_step(s));
  }
  constexpr void say_range(std::int64_t from, std::int64_t to) { fault << " [" << from << ", " << to << ')'; }
  constexpr void say_edge(int e) {
    fault << "edge " << e;
    quote(p.name_of_edge(e));
    say_range(print(e).base, print(e).end());
  }
  constexpr void say_storage(int s) {
    fault << "storage " << s;
    quote(p.name_at(p.storages[s].name));
  }
  /// Says where the storage of an edge lies when the edge is only a part or another shape of it.
  constexpr void say_view(int e) {
    const std::int32_t s = p.edge_storage[e];
    const storage& whole = p.storages[s];
    const std::int64_t from = p.storages[p.home_of(s)].offset;
    if (print(e).base == from && print(e).end() == from + whole.bytes) return;
    fault << " (a view of ";
    say_storage(s);
    say_range(from, from + whole.bytes);
    fault << ')';
  }

  constexpr bool same_space(int a, int b) const { return at(a).where == at(b).where && at(a).index == at(b).index; }
  constexpr std::int64_t shared(int a, int b) const { return same_space(a, b) ? shared_bytes(print(a), print(b)) : 0; }

  /// Every number that names something names something that exists. Marks the storages that a step touches: an edge
  /// that no step uses need not have been placed.
  constexpr void check_numbers() {
    for (int i = 0; i < p.storage_count; ++i) {
      std::int32_t home = i;
      for (int n = 0; home >= 0 && home < p.storage_count && p.storages[home].root >= 0; ++n)
        home = n > p.storage_count ? -1 : p.storages[home].root;
      if (home >= 0 && home < p.storage_count) continue;
      say_storage(i);
      fault << ": its root is storage " << p.storages[i].root << ", which leads nowhere";
      return;
    }
    for (int e = 0; e < p.edge_count; ++e) {
      const std::int32_t owner = p.edge_storage[e];
      if (owner >= 0 && owner < p.storage_count) continue;
      fault << "edge " << e;
      quote(p.name_of_edge(e));
      fault << ": its storage is " << owner << ", the plan has " << p.storage_count;
      return;
    }
    touched.assign(static_cast<std::size_t>(p.storage_count), 0);
    for (int s = 0; s < p.step_count && !failed(); ++s) {
      const step& x = p.steps[s];
      const step_reads reads = reads_of(x);
      for (int i = 0; i < reads.count && !failed(); ++i) check_number(s, reads.at[i].edge, "operand");
      if (!failed()) check_number(s, x.out, "output");
      if (!failed() && x.scratch != -1) check_number(s, x.scratch, "scratch");
      if (failed() || p.kernels == nullptr || (x.kernel >= 0 && x.kernel < p.kernel_count)) continue;
      say_step(s);
      fault << ": its kernel is " << int{x.kernel} << ", the plan has " << p.kernel_count;
    }
  }
  constexpr void check_number(int s, int e, std::string_view what, bool used = true) {
    if (e >= 0 && e < p.edge_count) {
      if (!used) return;
      const std::int32_t owner = p.edge_storage[e];
      touched[static_cast<std::size_t>(owner)] = touched[static_cast<std::size_t>(p.home_of(owner))] = 1;
      return;
    }
    say_step(s);
    fault << ": its " << what << " is edge " << e << ", the plan has " << p.edge_count;
  }

  /// The stages of a chain: each reads what the one before it computed, the first and the last what their step says,
  /// and what lies between them is no other step's and fits the scratch.
  constexpr void check_chain(int s) {
    const step& x = p.steps[s];
    const int count = x.parameters.mode;
    if (x.stage < 0 || count < 2 || count > max_stages || x.stage + count > p.stage_count || x.parameters.reach < 1) {
      say_step(s);
      fault << ": " << count << " stages from stage " << x.stage << " on by " << x.parameters.reach
            << " rows, the plan has " << p.stage_count << " stages, a chain 2 to " << max_stages;
      return;
    }
    const step* const stages = p.stages + x.stage;
    for (int k = 0; k < count && !failed(); ++k) {
      const step_reads reads = reads_of(stages[k]);
      for (int i = 0; i < reads.count && !failed(); ++i) check_number(s, reads.at[i].edge, "stages' operand", false);
      if (!failed()) check_number(s, stages[k].out, "stages' output", false);
      if (failed() || (stages[k].kernel >= 0 && stages[k].kernel < p.stage_kernel_count)) continue;
      say_step(s);
      fault << ": the kernel of a stage is " << int{stages[k].kernel} << ", the plan has " << p.stage_kernel_count;
    }
    if (failed()) return;
    bool linked = stages->in[0] == x.in[0] && stages[count - 1].out == x.out;
    for (int i = 0; i < max_operands; ++i) linked = linked && stages[count - 1].operand[i] == x.operand[i];
    for (int k = 0; k + 1 < count; ++k) {
      const std::int32_t between = p.edge_storage[stages[k].out];
      linked =
          linked && p.edge_storage[stages[k + 1].in[0]] == between && touched[static_cast<std::size_t>(between)] == 0;
      for (const std::int16_t e : stages[k].operand) linked = linked && (e < 0 || at(e).where == space::weights);
    }
    const std::int64_t windows = chain_of(x, p.stages, p.edges).bytes(),
                       room = x.scratch < 0 ? 0 : at(x.scratch).extent[3];
    if (linked && windows <= room) return;
    say_step(s);
    fault << (linked ? ": the windows of its stages are larger than its scratch"
                     : ": its stages do not hand on to each other alone what its operands say");
    if (linked) fault << ", " << windows << " bytes beside " << room;
  }

  /// Bytes of the space of a storage; 0 for an output that is not there.
  constexpr std::int64_t room_of(const storage& s) const {
    if (s.where != space::output) return s.where == space::arena ? p.arena_bytes : p.weights_bytes;
    const int e = s.index >= 0 && s.index < p.output_count ? p.outputs[s.index] : -1;
    return e >= 0 && e < p.edge_count ? p.storages[p.edge_storage[e]].bytes : 0;
  }

  constexpr void check_storage(int i) {
    const storage& s = p.storages[i];
    if (s.bytes < 0) {
      say_storage(i);
      fault << ": " << s.bytes << " bytes";
      return;
    }
    if (s.where == space::input || s.where == space::none || s.where == space::scratch) return;
    const std::int32_t home = p.home_of(i);
    const storage& h = p.storages[home];
    const std::int64_t limit = room_of(s);
    if (s.where != h.where || s.bytes > h.bytes) {
      say_storage(i);
      fault << ": " << s.bytes << " bytes in place of storage " << home << " with " << h.bytes;
    } else if (h.offset % buffer_alignment != 0) {
      say_storage(i);
      fault << ": its offset " << h.offset << " in the " << name_of(s.where) << " is not a multiple of "
            << buffer_alignment;
    } else if (s.bytes > 0 && (h.offset < 0 || h.offset > limit || s.bytes > limit - h.offset)) {
      say_storage(i);
      say_range(h.offset, h.offset + s.bytes);
      fault << " leaves the " << name_of(s.where) << " of " << limit << " bytes";
    }
  }

  constexpr void check_edge(int e) {
    const edge& x = at(e);
    const footprint& f = print(e);
    const std::int32_t owner = p.edge_storage[e];
    if (!f.valid) {
      fault << "edge " << e;
      quote(p.name_of_edge(e));
      for (int i = 0; i < plan_rank; ++i) {
        if (x.extent[i] >= 0) continue;
        fault << ": extent " << x.extent[i] << " of axis " << i << " is negative";
        return;
      }
      fault << ": its bytes leave 64 bits";
      return;
    }
    const storage& s = p.storages[owner];
    const int ports = x.where == space::input ? p.input_count : p.output_count;
    if (x.where != s.where || x.index != s.index) {
      say_edge(e);
      fault << ": lies in the " << name_of(x.where) << " (index " << x.index << "), its storage " << owner << " in the "
            << name_of(s.where) << " (index " << s.index << ')';
    } else if (x.where == space::none) {
      say_edge(e);
      fault << ": lies nowhere";
    } else if ((x.where == space::input || x.where == space::output) && (x.index < 0 || x.index >= ports)) {
      say_edge(e);
      fault << ": " << name_of(x.where) << ' ' << int{x.index} << ", the plan has " << ports;
    } else if (x.offset % static_cast<std::int64_t>(size_of(x.type)) != 0) {
      say_edge(e);
      fault << ": its offset " << x.offset << " is not a multiple of its element size "
            << static_cast<std::int64_t>(size_of(x.type));
    } else if (!f.empty()) {
      const std::int64_t from = x.where == space::input ? 0 : p.storages[p.home_of(owner)].offset;
      if (f.base >= from && f.end() <= from + s.bytes) return;
      say_edge(e);
      fault << " leaves its ";
      say_storage(owner);
      say_range(from, from + s.bytes);
    }
  }

  constexpr void check_step(int s) {
    const step& x = p.steps[s];
    const space to = at(x.out).where;
    if (to != space::arena && to != space::output) {
      say_step(s);
      fault << " writes ";
      say_edge(x.out);
      fault << " in the " << name_of(to) << ", which is only read";
    } else if (!print(x.out).distinct) {
      say_step(s);
      fault << " writes ";
      say_edge(x.out);
      fault << ", whose elements overlap each other";
    } else if (x.weight != -1 && at(x.weight).where != space::weights) {
      say_step(s);
      fault << " takes packed weights from ";
      say_edge(x.weight);
      fault << " in the " << name_of(at(x.weight).where);
    } else if (x.scratch != -1 && at(x.scratch).where != space::arena) {
      say_step(s);
      fault << " has its scratch, ";
      say_edge(x.scratch);
      fault << ", in the " << name_of(at(x.scratch).where);
    }
  }

  /// Whether a step may write its result over this operand: it reads the operand's element only for the result's
  /// element (row operations: it has read the row before), and both lie at the same place in the same way.
  constexpr bool in_place(const step& x, const edge_use& use) const {
    const bool by_element = use.role == edge_role::operand;
    const bool by_row =
        use.role == edge_role::in && use.slot == 0 &&
        (x.algorithm == algorithm::map || x.algorithm == algorithm::softmax || x.algorithm == algorithm::layer_norm);
    if (!by_element && !by_row) return false;
    const edge &a = at(use.edge), &b = at(x.out);
    if (a.offset != b.offset || size_of(a.type) != size_of(b.type)) return false;
    for (int i = 0; i < plan_rank; ++i) {
      if (a.extent[i] != b.extent[i]) return false;
      if (a.extent[i] > 1 && a.stride[i] != b.stride[i]) return false;
    }
    return true;
  }

  /// What a step writes must not disturb what the same step reads.
  constexpr void check_within_step(int s) {
    const step& x = p.steps[s];
    const step_reads reads = reads_of(x);
    for (int i = 0; i < reads.count; ++i) {
      const int e = reads.at[i].edge;
      if (shared(x.out, e) > 0 && (p.edge_storage[x.out] == p.edge_storage[e] || !in_place(x, reads.at[i]))) {
        say_step(s);
        fault << " (" << name_of(x.algorithm) << ") writes ";
        say_edge(x.out);
        fault << " over ";
        say_edge(e);
        fault << ", which it reads: not in place, or extents, strides or element sizes differ";
        return;
      }
      if (x.scratch != -1 && shared(x.scratch, e) > 0) return say_scratch(s, e);
    }
    if (x.scratch != -1 && shared(x.scratch, x.out) > 0) return say_scratch(s, x.out);
  }
  constexpr void say_scratch(int s, int e) {
    say_step(s);
    fault << ": its scratch ";
    say_edge(p.steps[s].scratch);
    fault << " overlaps ";
    say_edge(e);
    fault << ", which it uses";
  }

  /// Edge r, read by step s (or, for s == step_count, by the caller), holds what was written for it.
  constexpr void check_read(int s, int r) {
    const space where = at(r).where;
    if (where != space::arena && where != space::output) return;
    const footprint& wanted = print(r);
    if (wanted.empty()) return;
    const std::int64_t from = wanted.base, to = wanted.end();
    const std::int32_t value = p.edge_storage[r];
    std::int64_t seen = 0;
    for (int t = 0; t < s; ++t) {
      const int w = p.steps[t].out;
      if (p.edge_storage[w] != value || print(w).base >= to || print(w).end() <= from) continue;
      const std::int64_t part = shared(w, r);
      if (part == 0) continue;
      seen += part;
      for (int f = t + 1; f < s; ++f) {
        for (const int e : {int{p.steps[f].out}, int{p.steps[f].scratch}}) {
          if (e < 0 || p.edge_storage[e] == value || print(e).base >= to || print(e).end() <= from) continue;
          if (shared(e, r) > 0 && shared(e, w) > 0) return say_overwritten(s, r, f, e);
        }
      }
    }
    if (seen == wanted.bytes()) return;
    say_reader(s);
    say_edge(r);
    say_view(r);
    fault << " of the " << name_of(where) << ", but only " << seen << " of its " << wanted.bytes()
          << " bytes are written ";
    fault << (s == p.step_count ? "at the end" : "before");
  }
  constexpr void say_reader(int s) {
    if (s == p.step_count) {
      fault << "the caller reads ";
    } else {
      say_step(s);
      fault << " reads ";
    }
  }
  constexpr void say_overwritten(int s, int r, int f, int e) {
    say_reader(s);
    say_edge(r);
    say_view(r);
    fault << " of the " << name_of(at(r).where) << ", but ";
    say_step(f);
    fault << " wrote ";
    say_edge(e);
    fault << " over it";
  }

  /// No byte of a value is written twice.
  constexpr void check_written_once(int s) {
    const int out = p.steps[s].out;
    for (int t = 0; t < s; ++t) {
      const int w = p.steps[t].out;
      if (p.edge_storage[w] != p.edge_storage[out] || shared(w, out) == 0) continue;
      say_step(s);
      fault << " writes ";
      say_edge(out);
      fault << ", which ";
      say_step(t);
      fault << " has written as ";
      say_edge(w);
      return;
    }
  }

  constexpr void run() {
    if (p.edge_count > 0 && (p.edge_storage == nullptr || p.storages == nullptr)) {
      fault << "the plan has " << p.edge_count << " edges and no storages";
      return;
    }
    check_numbers();
    for (int s = 0; s < p.step_count && !failed(); ++s)
      if (p.steps[s].algorithm == algorithm::conv_chain) check_chain(s);
    for (int i = 0; i < p.storage_count && !failed(); ++i)
      if (touched[static_cast<std::size_t>(i)]) check_storage(i);
    prints.reserve(static_cast<std::size_t>(p.edge_count));
    for (int e = 0; e < p.edge_count && !failed(); ++e) {
      prints.push_back(footprint_of(p.edges[e]));
      if (!prints.back().valid || touched[static_cast<std::size_t>(p.edge_storage[e])]) check_edge(e);
    }
    for (int s = 0; s < p.step_count && !failed(); ++s) check_step(s);
    for (int s = 0; s < p.step_count && !failed(); ++s) {
      const step_reads reads = reads_of(p.steps[s]);
      for (int i = 0; i < reads.count && !failed(); ++i) check_read(s, reads.at[i].edge);
      if (!failed()) check_written_once(s);
      if (!failed()) check_within_step(s);
    }
    for (int i = 0; i < p.output_count && !failed(); ++i) {
      const int e = p.outputs[i];
      if (e < 0 || e >= p.edge_count || at(e).where != space::output || at(e).index != i) {
        fault << "output " << i << ": edge " << e << " is not an edge of output " << i;
        return;
      }
      check_read(p.step_count, e);
    }
  }
};

}  // namespace detail

/// Good, or the first fault with step, edge and both byte ranges (counted from the start of the space).
constexpr status validate(const plan_view& p) {
  detail::plan_validator v{p};
  v.run();
  return v.failed() ? status::failure(v.fault) : status();
}

}  // namespace tkl
