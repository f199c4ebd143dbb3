// SPDX-License-Identifier: Apache-2.0
// State of the lowering from graph nodes to plan steps, and the functions that give values places, storages and edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/graph/passes/analysis.hpp>
#include <tkl/graph/passes/fuse.hpp>
#include <tkl/graph/passes/place.hpp>
#include <tkl/graph/program.hpp>
#include <vector>

namespace tkl {

struct lowering {
  const graph& g;
  target_facts facts{};
  program out{};
  const node* nodes = nullptr;
  node_array<node_use> use;
  node_array<node_record> records;

  constexpr lowering(const graph& source, const target_facts& target)
      : g(source), facts(target), nodes(source.nodes.data()), use(analyse(source)), records(source.nodes.size()) {
    // Growth would copy elements one by one.
    out.steps.reserve(128), out.keys.reserve(32);
    out.edges.reserve(source.nodes.size()), out.edge_storage.reserve(source.nodes.size());
    out.storages.reserve(source.nodes.size()), out.loads.reserve(source.nodes.size());
    out.folds.reserve(source.nodes.size()), out.packed.reserve(source.nodes.size());
  }

  constexpr const node& at(std::int32_t id) const { return nodes[id]; }
  constexpr place& place_of(std::int32_t id) { return records[id].where; }
  constexpr node_state& state_of(std::int32_t id) { return records[id].state; }
  constexpr const node_use& use_of(std::int32_t id) const { return use[id]; }
  constexpr bool failed() const { return !out.error.empty(); }

  constexpr void fail(std::int32_t id, std::string_view what) {
    if (failed()) return;
    out.error << name_of(at(id).kind) << " '" << g.label(id).view() << "': " << what;
  }
};

/// A storage of that many bytes.
constexpr std::int32_t new_storage(lowering& l, space where, std::int64_t bytes, std::int32_t name,
                                   std::int16_t index = -1) {
  storage s;
  s.where = where;
  s.index = index;
  s.name = name;
  s.bytes = bytes;
  l.out.storages.push_back(s);
  return static_cast<std::int32_t>(l.out.storages.size()) - 1;
}

/// Complains that a count of node `id` leaves 64 bits: "its weights take more than 9223372036854775807 bytes".
constexpr void fail_count(lowering& l, std::int32_t id, std::string_view what, std::string_view unit) {
  if (l.failed()) return;
  text<240> m;
  m << what << " more than " << checked::largest << ' ' << unit;
  l.fail(id, m.view());
}

/// Whether a step has as many axes as the tensor of node `id`; complains when it has not.
constexpr bool fits_step(lowering& l, std::int32_t id, const shape& s, std::string_view what) {
  if (s.rank <= plan_rank) return true;
  if (l.failed()) return false;
  text<200> m;
  m << "shape " << s << " has " << s.rank << " axes, " << what << " has at most " << plan_rank;
  l.fail(id, m.view());
  return false;
}

/// A storage for the value of node `id`, whatever the order of its elements.
constexpr std::int32_t value_storage(lowering& l, space where, std::int32_t id, std::int32_t name,
                                     std::int16_t index = -1) {
  const node& n = l.at(id);
  const checked bytes = n.shape.elements() * static_cast<std::int64_t>(size_of(n.type));
  if (!bytes.valid && !l.failed()) {
    text<160> m;
    m << "its value of shape " << n.shape << ", " << static_cast<std::int64_t>(size_of(n.type))
      << " bytes per element, takes";
    fail_count(l, id, m.view(), "bytes");
  }
  return new_storage(l, where, bytes.valid ? bytes.value : 0, name, index);
}

/// Name of a node's value in reports: its own or that of its weight.
constexpr std::int32_t report_name(const lowering& l, std::int32_t id) {
  const node& n = l.at(id);
  if (n.name >= 0) return n.name;
  for (int i = 0; i < n.inputs; ++i) {
    const node& w = l.at(n.in[i]);
    if (w.kind == op_kind::weight) return w.name;
  }
  return -1;
}

/// Complains when one more of `what` (edges, load nodes, folds) could not be numbered in 16 bits.
template <class T>
constexpr bool numbered(lowering& l, const std::vector<T>& all, std::string_view what) {
  if (all.size() < 32767) return true;
  if (!l.failed()) l.out.error << "the plan has more than 32767 " << what << ": compile the model in parts";
  return false;
}

/// Adds an edge with the four plan axes of `p`: missing outer axes are 1. `insert` axes of extent 1 are put before the
/// last two (attention and matrix rows stand on plan axis 2).
constexpr std::int16_t add_edge(lowering& l, const place& p, element type, std::int32_t name) {
  if (p.extents.rank > plan_rank) {
    if (l.failed()) return -1;
    l.out.error << "value '" << l.g.name_at(name) << "' of shape " << p.extents << " has " << p.extents.rank
                << " axes, inputs, outputs and operands have at most " << plan_rank;
    return -1;
  }
  edge e;
  const storage& s = l.out.storages[static_cast<std::size_t>(p.storage)];
  e.where = s.where;
  e.index = s.index;
  e.type = type;
  e.name = name;
  e.offset = p.offset * static_cast<std::int64_t>(size_of(type));
  const int shift = plan_rank - p.extents.rank;
  for (int i = 0; i < p.extents.rank; ++i) {
    if (p.extents[i] > 0x7fffffff || p.stride[i] > 0x7fffffff || p.stride[i] < -0x7fffffff) {
      if (l.failed()) return -1;
      if (name >= 0) l.out.error << "value '" << l.g.name_at(name) << "': ";
      l.out.error << "an extent or a stride of a value with shape " << p.extents << " exceeds 2147483647";
      return -1;
    }
    e.extent[i + shift] = static_cast<std::int32_t>(p.extents[i]);
    e.stride[i + shift] = static_cast<std::int32_t>(p.stride[i]);
  }
  if (!numbered(l, l.out.edges, "edges")) return -1;
  l.out.edges.push_back(e);
  l.out.edge_storage.push_back(p.storage);
  return static_cast<std::int16_t>(l.out.edges.size() - 1);
}

/// The edge of a node's own place (at most four axes).
constexpr std::int16_t own_edge(lowering& l, std::int32_t id) {
  std::int16_t& cached = l.records[id].edge;
  if (cached < 0) cached = add_edge(l, l.place_of(id), l.at(id).type, report_name(l, id));
  return cached;
}

/// The index of a kernel key, added when it is new.
constexpr std::int16_t number_of(std::vector<kernel_key>& keys, const kernel_key& key) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key) return static_cast<std::int16_t>(i);
  keys.push_back(key);
  return static_cast<std::int16_t>(keys.size() - 1);
}
constexpr std::int16_t kernel_of(lowering& l, const kernel_key& key) {
  return number_of(l.out.keys, key);
}

/// Notes that the step about to be pushed touches the storage of an edge.
constexpr void touch(lowering& l, std::int16_t e) {
  if (e < 0) return;
  storage& s = l.out.storages[static_cast<std::size_t>(l.out.edge_storage[static_cast<std::size_t>(e)])];
  const auto now = static_cast<std::int32_t>(l.out.steps.size());
  if (s.first < 0) s.first = now;
  s.last = now;
}

/// Bytes of the elements of an edge; elements that a stride of 0 repeats count once.
constexpr std::int64_t edge_bytes(const edge& e) {
  auto n = static_cast<std::int64_t>(size_of(e.type));
  for (int i = 0; i < plan_rank; ++i)
    if (e.stride[i] != 0 || e.extent[i] == 0) n *= e.extent[i];
  return n;
}

/// Bytes that all steps read and write, counted anew.
constexpr void count_traffic(program& p) {
  p.bytes_read = p.bytes_written = 0;
  const auto bytes_of = [&](std::int16_t e) { return e < 0 ? 0 : edge_bytes(p.edges[static_cast<std::size_t>(e)]); };
  for (const step& s : p.steps) {
    for (std::int16_t e : s.in) p.bytes_read += bytes_of(e);
    for (std::int16_t e : s.operand) p.bytes_read += bytes_of(e);
    for (std::int16_t e : s.prologue_operand) p.bytes_read += bytes_of(e);
    p.bytes_written += bytes_of(s.out);
  }
}

/// Appends the step of node `id`: lifetimes, arithmetic, bytes read and written.
constexpr void push_step(lowering& l, const step& s, std::int32_t id, checked flops) {
  checked bytes_read = l.out.bytes_read, bytes_written = l.out.bytes_written;
  const auto read = [&](std::int16_t e) {
    if (e < 0) return;
    touch(l, e);
    if (e != s.weight) bytes_read = bytes_read + edge_bytes(l.out.edges[static_cast<std::size_t>(e)]);
  };
  for (std::int16_t e : s.in) read(e);
  for (std::int16_t e : s.operand) read(e);
  for (std::int16_t e : s.prologue_operand) read(e);
  touch(l, s.weight);
  touch(l, s.scratch);
  touch(l, s.out);
  if (s.out >= 0) bytes_written = bytes_written + edge_bytes(l.out.edges[static_cast<std::size_t>(s.out)]);
  if (!(bytes_read + bytes_written).valid) fail_count(l, id, "with it, all steps together read and write", "bytes");
  l.out.bytes_read = bytes_read.value;
  l.out.bytes_written = bytes_written.value;
  if (!flops.valid) fail_count(l, id, "it takes", "arithmetic operations");
  flops = flops + l.out.flops;
  if (!flops.valid) fail_count(l, id, "with it, all steps together take", "arithmetic operations");
  l.out.flops = flops.value;
  l.out.steps.push_back(s);
}

/// Gives a node's value its place: the destination chosen for it, or a new dense arena storage.
constexpr void ensure_place(lowering& l, std::int32_t id) {
  place& p = l.place_of(id);
  if (p.assigned()) return;
  p = dense_place(value_storage(l, space::arena, id, report_name(l, id)), l.at(id).shape);
}

}  // namespace tkl
