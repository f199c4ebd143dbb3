// SPDX-License-Identifier: Apache-2.0
// What every graph builder function does around its shape rule: finding the graph, checking that operands belong
// together, naming the node in messages, and adding it.
#pragma once

#include <initializer_list>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// A node under construction. When `silent`, an operand is invalid (its mistake was recorded where it was made) or a
/// mistake was recorded here: return none().
struct node_builder {
  tkl::graph* owner = nullptr;
  std::string_view op{};
  node made{};
  bool silent = false;

  constexpr node_builder(std::string_view name, op_kind kind, std::initializer_list<value> operands)
      : node_builder(name, kind, operands.begin(), static_cast<int>(operands.size())) {}

  constexpr node_builder(std::string_view name, op_kind kind, const value* operands, int count) : op(name) {
    made.kind = kind;
    int empty = -1, foreign = -1;
    for (int i = 0; i < count; ++i) {
      const value v = operands[i];
      if (owner == nullptr) owner = v.owner;
      if (v.owner == nullptr) {
        empty = i;
      } else if (v.owner != owner) {
        foreign = i;
      } else if (!v.valid()) {
        silent = true;
      } else if (made.inputs < max_inputs) {
        made.in[made.inputs++] = v.id;
      }
    }
    if (empty >= 0) fail(complaint{} << "operand " << empty << " is an empty value");
    if (foreign >= 0) fail(complaint{} << "operand " << foreign << " belongs to another graph than operand 0");
    if (owner == nullptr) silent = true;
  }

  constexpr value none() const { return {owner, -1}; }

  /// Records "conv2d 'layer1.0.conv1.weight': " and the complaint; without a named weight among the operands the node's
  /// number and the nearest named tensor before it stand there.
  constexpr value fail(const complaint& what) {
    if (silent || owner == nullptr) return none();
    silent = true;
    if (!owner->error.empty()) return none();
    text<240> m;
    m << op << ' ';
    int named = -1;
    for (int i = 0; i < made.inputs && named < 0; ++i) {
      const node& w = owner->nodes[static_cast<std::size_t>(made.in[i])];
      if (w.kind == op_kind::weight && w.name >= 0) named = w.name;
    }
    if (named >= 0) {
      m << '\'' << owner->name_at(named) << '\'';
    } else {
      m << '#' << static_cast<std::int64_t>(owner->nodes.size());
      const std::string_view before = nearest_name();
      if (!before.empty()) m << " after '" << before << '\'';
    }
    m << ": " << what.view();
    return owner->fail(m);
  }

  /// Adds the node.
  constexpr value finish(element type, const shape& extents) {
    if (silent) return none();
    made.type = type;
    made.shape = extents;
    return owner->push(made);
  }
  constexpr value finish(element type, const shape_or_complaint& rule) {
    return rule.ok() ? finish(type, rule.out) : fail(rule.error);
  }

 private:
  /// Name of the nearest named node up the chain of first operands, or of a weight on the way.
  constexpr std::string_view nearest_name() const {
    std::int32_t id = made.inputs > 0 ? made.in[0] : -1;
    while (id >= 0) {
      const node& n = owner->nodes[static_cast<std::size_t>(id)];
      if (n.name >= 0) return owner->name_at(n.name);
      for (int i = 0; i < n.inputs; ++i) {
        const node& w = owner->nodes[static_cast<std::size_t>(n.in[i])];
        if (w.kind == op_kind::weight && w.name >= 0) return owner->name_at(w.name);
      }
      id = n.inputs > 0 ? n.in[0] : -1;
    }
    return {};
  }
};

constexpr bool is_floating(element e) {
  return e == element::f32 || e == element::f16 || e == element::bf16;
}

/// Complains unless `type` is a floating one: arithmetic on integers needs a cast that the model writes.
TKL_TAGGED constexpr complaint need_floating(std::string_view what, element type) {
  complaint c;
  if (!is_floating(type)) c << what << " is " << name_of(type) << ", needs f32, f16 or bf16: cast it first";
  return c;
}

/// Complains unless both element types are equal.
TKL_TAGGED constexpr complaint need_same_type(std::string_view a, element x, std::string_view b, element y) {
  complaint c;
  if (x != y) c << a << " is " << name_of(x) << ", " << b << " is " << name_of(y) << ": cast one of them";
  return c;
}

/// Complains unless `s` is one axis of `extent` elements: a bias, a scale.
TKL_TAGGED constexpr complaint need_vector(std::string_view what, const shape& s, std::int64_t extent,
                                           std::string_view of) {
  complaint c;
  if (s.rank != 1) {
    c << what << " has shape " << s << " with " << s.rank << " axes, needs 1 axis of " << extent << ' ' << of;
  } else if (s[0] != extent) {
    c << what << " has " << s[0] << " elements, needs " << extent << ' ' << of;
  }
  return c;
}

}  // namespace tkl
