// SPDX-License-Identifier: Apache-2.0
// The graph as a value: an array of nodes in the order in which they were built, usable in constant evaluation.
//
// Shapes are logical: four-axis tensors are batch, row, column, channel, whatever the caller's memory looks like; an
// input or output that lies in memory as batch, channel, row, column says so when it is declared. A mistake does not
// stop the build: the first one is kept as a text with names and numbers (`error`), and the value that it returns is
// invalid; what is built from an invalid value is invalid and silent.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/core/element.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/core/text.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/graph/name_pool.hpp>
#include <tkl/graph/op_kind.hpp>
#include <vector>

namespace tkl {

inline constexpr int max_inputs = 8;

struct node {
  op_kind kind = op_kind::input;
  element type = element::f32;
  tkl::shape shape{};
  std::int32_t in[max_inputs]{-1, -1, -1, -1, -1, -1, -1, -1};
  std::int32_t inputs = 0;
  std::int32_t name = -1;  // offset into graph::names, -1 for none
  attributes attr{};
};

struct graph;

/// One tensor of a graph: the result of a node. Copies refer to the same node.
struct value {
  tkl::graph* owner = nullptr;
  std::int32_t id = -1;  // -1: invalid, an error was recorded

  constexpr bool valid() const { return owner != nullptr && id >= 0; }
  constexpr const node& operator*() const;
  constexpr const node* operator->() const { return &**this; }
  /// Extents (batch, row, column, channel for four axes); rank 0 when invalid.
  constexpr tkl::shape shape() const;
  /// Names this value, so that messages, reports and probes can show it. Returns itself. A weight keeps the name of its
  /// tensor in the file.
  constexpr value named(std::string_view name) const;
};

/// A declared output: a value, its name and its order in memory.
struct graph_output {
  std::int32_t node = -1;
  std::int32_t name = -1;
  memory_layout layout = memory_layout::nhwc;
};

/// What a name was declared for; each has names of its own.
enum class named_kind : std::uint8_t { weight, input, output };

/// Finds weights, inputs and outputs by name: chains of names whose hashes are equal in their low bits; the graph
/// compares names only where all bits agree.
struct name_index {
  static constexpr std::size_t chains = 256;
  struct entry {
    std::uint32_t hash = 0;
    std::int32_t number = -1;  // of the node; of the output among the outputs
    std::int32_t next = -1;    // entry of the same chain, or -1
    named_kind kind = named_kind::weight;
  };
  std::vector<entry> entries{};
  std::int32_t first[chains]{};  // entry + 1, so that 0 is an empty chain

  static constexpr std::uint32_t hash_of(std::string_view name) {  // FNV-1a
    std::uint32_t h = 2166136261u;
    const char* const c = name.data();
    for (std::size_t i = 0, n = name.size(); i < n; ++i) h = (h ^ static_cast<unsigned char>(c[i])) * 16777619u;
    return h;
  }
  /// First entry of the chain of a hash, or -1.
  constexpr std::int32_t chain_of(std::uint32_t hash) const { return first[hash % chains] - 1; }
  constexpr void add(named_kind kind, std::uint32_t hash, std::int32_t number) {
    entries.push_back({hash, number, chain_of(hash), kind});
    first[hash % chains] = static_cast<std::int32_t>(entries.size());
  }
};

struct graph {
  std::vector<node> nodes{};
  name_pool names{};
  std::vector<std::int32_t> inputs{};
  std::vector<graph_output> outputs{};
  text<240> error{};
  name_index declared{};

  constexpr graph() { nodes.reserve(512), declared.entries.reserve(512); }

  /// Records the first mistake.
  constexpr value fail(const text<240>& message) {
    if (error.empty()) error = message;
    return {this, -1};
  }

  constexpr std::int32_t add_name(std::string_view name) { return names.add(name); }
  constexpr std::string_view name_at(std::int32_t offset) const { return names.at(offset); }
  /// Number of what was declared under a name, or -1.
  constexpr std::int32_t find_declared(named_kind kind, std::string_view name, std::uint32_t hash) const {
    for (std::int32_t at = declared.chain_of(hash); at >= 0;) {
      const name_index::entry& e = declared.entries[static_cast<std::size_t>(at)];
      at = e.next;
      if (e.hash != hash || e.kind != kind) continue;
      const auto i = static_cast<std::size_t>(e.number);
      if (name_at(kind == named_kind::output ? outputs[i].name : nodes[i].name) == name) return e.number;
    }
    return -1;
  }
  /// Claims the name of an input for node `id`, which must be there; false when another input has it. An empty name is
  /// none.
  constexpr bool claim_input(std::string_view name, std::int32_t id) {
    if (name.empty()) return true;
    const std::uint32_t hash = name_index::hash_of(name);
    const std::int32_t other = find_declared(named_kind::input, name, hash);
    if (other >= 0 && other != id) {
      text<240> m;
      m << "input '" << name << "': declared with shape " << nodes[static_cast<std::size_t>(other)].shape
        << " and again with shape " << nodes[static_cast<std::size_t>(id)].shape << "; each input needs its own name";
      fail(m);
      return false;
    }
    declared.add(named_kind::input, hash, id);
    return true;
  }
  /// Name of a node for messages: its own, that of the first named weight among its inputs, or "#12".
  constexpr text<64> label(std::int32_t id) const {
    text<64> t;
    const node& n = nodes[static_cast<std::size_t>(id)];
    if (n.name >= 0) return t << name_at(n.name);
    for (int i = 0; i < n.inputs; ++i) {
      const node& w = nodes[static_cast<std::size_t>(n.in[i])];
      if (w.kind == op_kind::weight && w.name >= 0) return t << name_at(w.name);
    }
    return t << '#' << id;
  }

  constexpr value push(const node& n) {
    nodes.push_back(n);
    return {this, static_cast<std::int32_t>(nodes.size()) - 1};
  }

  /// A tensor that the caller brings: name, element type, extents in the order batch, row, column, channel (any rank up
  /// to six). `layout` nchw: in the caller's memory the channel axis stands second (four axes only). Two inputs of one
  /// name are an error.
  constexpr value input(std::string_view name, element type, const tkl::shape& extents,
                        memory_layout layout = memory_layout::nhwc) {
    if (!extents.elements().valid) {
      text<240> m;
      m << "input '" << name << "': extents " << extents << " are not static or their product leaves 64 bits";
      return fail(m);
    }
    if (layout == memory_layout::nchw && extents.rank != 4) {
      text<240> m;
      m << "input '" << name << "': layout nchw needs 4 axes, the shape " << extents << " has " << extents.rank;
      return fail(m);
    }
    node n;
    n.kind = op_kind::input;
    n.type = type;
    n.shape = extents;
    n.name = add_name(name);
    n.attr.layout = static_cast<std::uint8_t>(layout);
    const value v = push(n);
    if (!claim_input(name, v.id)) return {this, -1};
    inputs.push_back(v.id);
    return v;
  }

  /// A named tensor of the weights file with the extents that the file must have. The same name gives the same value;
  /// another shape under that name is an error.
  constexpr value weight(std::string_view name, const tkl::shape& extents, element type = element::f32) {
    const std::uint32_t hash = name_index::hash_of(name);
    if (const std::int32_t known = find_declared(named_kind::weight, name, hash); known >= 0) {
      const node& n = nodes[static_cast<std::size_t>(known)];
      if (n.shape == extents && n.type == type) return {this, known};
      text<240> m;
      m << "weight '" << name << "': declared as " << name_of(n.type) << ' ' << n.shape << " and again as "
        << name_of(type) << ' ' << extents;
      return fail(m);
    }
    if (!extents.elements().valid) {
      text<240> m;
      m << "weight '" << name << "': extents " << extents << " are not static or their product leaves 64 bits";
      return fail(m);
    }
    node n;
    n.kind = op_kind::weight;
    n.type = type;
    n.shape = extents;
    n.name = add_name(name);
    declared.add(named_kind::weight, hash, static_cast<std::int32_t>(nodes.size()));
    return push(n);
  }

  /// One number.
  constexpr value literal(double number) {
    node n;
    n.kind = op_kind::literal;
    n.attr.real[0] = number;
    return push(n);
  }

  /// Declares an output. Values returned by a model's build function are declared by compile; this is for names and
  /// layouts. Two outputs of one name are an error. `layout` nchw: in the caller's memory the channel axis stands
  /// second (four axes only).
  constexpr value output(value v, std::string_view name = {}, memory_layout layout = memory_layout::nhwc) {
    if (v.owner == nullptr) return fail(text<240>() << "output '" << name << "': an empty value");
    if (v.owner != this) return fail(text<240>() << "output '" << name << "': a value of another graph");
    if (!v.valid()) return v;
    const tkl::shape& extents = nodes[static_cast<std::size_t>(v.id)].shape;
    if (layout == memory_layout::nchw && extents.rank != 4)
      return fail(text<240>() << "output '" << name << "': layout nchw needs 4 axes, the shape " << extents << " has "
                              << extents.rank);
    std::int32_t own = -1;
    if (!name.empty()) {
      const std::uint32_t hash = name_index::hash_of(name);
      const std::int32_t other = find_declared(named_kind::output, name, hash);
      if (other >= 0)
        return fail(text<240>() << "output '" << name << "': declared with shape "
                                << nodes[static_cast<std::size_t>(outputs[static_cast<std::size_t>(other)].node)].shape
                                << " and again with shape " << extents << "; each output needs its own name");
      declared.add(named_kind::output, hash, static_cast<std::int32_t>(outputs.size()));
      own = add_name(name);
    }
    outputs.push_back({v.id, own, layout});
    return v;
  }
};

constexpr const node& value::operator*() const {
  return owner->nodes[static_cast<std::size_t>(id)];
}
constexpr tkl::shape value::shape() const {
  return valid() ? (**this).shape : tkl::shape{};
}
constexpr value value::named(std::string_view name) const {
  if (!valid() || (**this).kind == op_kind::weight) return *this;
  if ((**this).kind == op_kind::input && !owner->claim_input(name, id)) return {owner, -1};
  owner->nodes[static_cast<std::size_t>(id)].name = owner->add_name(name);
  return *this;
}

}  // namespace tkl
