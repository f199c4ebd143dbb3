// SPDX-License-Identifier: Apache-2.0
// Half storage and half weights: what lies in memory as f16, or as bf16 where the target says so. Kernels widen when
// they load and round when they store, as for any tensor of that type; all arithmetic stays f32.
//
// Rule of half storage: an arena storage becomes f16 when all its edges are f32; so do the packed weights of
// contractions, unless the target's kernels want them in f32, and constants that a step reads as its input. Inputs and
// outputs of the model, integers, and constants per channel keep their types. The inputs of one step (of attention, of
// a product) share the type in its kernel's key: all of them become f16, or none.
// Rule of half weights: packed weights of contractions, but those transformed for Winograd's algorithm, and tables:
// constants of more than one axis that only expressions read, or products as their second operand.
// Obligation: no step is added, and none computes otherwise than on rounded operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/graph/passes/constants.hpp>
#include <tkl/graph/passes/lowering.hpp>
#include <tkl/graph/program.hpp>
#include <vector>

namespace tkl {

namespace detail {

/// Marks the storages of constants that only expressions read, or products as their second operand: those take any
/// type.
constexpr void mark_operands(const program& p, std::vector<std::uint8_t>& marked) {
  std::vector<std::uint8_t> other(p.storages.size(), 0);
  const auto mark = [&](std::vector<std::uint8_t>& of, std::int16_t e) {
    if (e >= 0) of[static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(e)])] = 1;
  };
  for (const step& s : p.steps) {
    for (int i = 0; i < step_inputs; ++i) mark(s.algorithm == algorithm::matmul && i == 1 ? marked : other, s.in[i]);
    for (const std::int16_t e : s.prologue_operand) mark(other, e);
    for (const std::int16_t e : s.operand) mark(marked, e);
  }
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (other[i] != 0) marked[i] = 0;
}

/// Whether a constant varies along more than one axis.
constexpr bool is_table(const load_node& n) {
  int axes = 0;
  for (int i = 0; i < n.rank; ++i) axes += n.extent[i] > 1;
  return axes > 1;
}

/// The storages that become f16.
constexpr std::vector<std::uint8_t> halved_storages(const program& p, const target_facts& facts) {
  const bool values = facts.stored != element::f32;
  std::vector<std::uint8_t> halved(p.storages.size(), 0), plain(p.storages.size(), 0);
  const auto storage_of = [&](std::int16_t e) {
    return static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(e)]);
  };
  if (!values) mark_operands(p, plain);
  for (const step& s : p.steps)
    for (std::int16_t e : s.in)
      if (values && e >= 0) plain[storage_of(e)] = 1;
  std::size_t tensor = 0;
  for (std::size_t i = 0; i < halved.size(); ++i) {
    if (p.storages[i].where == space::arena) halved[i] = values;
    if (p.storages[i].where != space::weights) continue;
    const packed_tensor& t = p.packed[tensor++];
    if (t.type != element::f32) continue;
    if (t.kind == pack_kind::plain)
      halved[i] = plain[i] != 0 && (values || is_table(p.loads[static_cast<std::size_t>(t.source)]));
    else
      halved[i] = facts.packs_half && t.kind != pack_kind::winograd2 && t.kind != pack_kind::winograd4;
  }
  for (std::size_t e = 0; e < p.edges.size(); ++e)
    if (p.edges[e].type != element::f32) halved[static_cast<std::size_t>(p.edge_storage[e])] = 0;
  for (bool changed = values; changed;) {
    changed = false;
    for (const step& s : p.steps) {
      bool one_stays = false;
      for (std::int16_t e : s.in) one_stays = one_stays || (e >= 0 && halved[storage_of(e)] == 0);
      if (!one_stays) continue;
      for (std::int16_t e : s.in) {
        if (e < 0 || halved[storage_of(e)] == 0) continue;
        halved[storage_of(e)] = 0;
        changed = true;
      }
    }
  }
  return halved;
}

/// The key of a step by the types of its edges.
constexpr kernel_key retyped(const program& p, const step& s) {
  kernel_key k = p.keys[static_cast<std::size_t>(s.kernel)];
  const auto type_of = [&](std::int16_t e) { return p.edges[static_cast<std::size_t>(e)].type; };
  const auto leaves = [&](expr_code& code, const std::int16_t* operand) {
    int slot = 0;
    for (int i = 0; i < code.size; ++i) {
      if (!code.at[i].has_operand()) continue;
      if (operand[slot] >= 0) code.at[i] = symbol::leaf(code.at[i].kind(), type_of(operand[slot]));
      ++slot;
    }
  };
  if (s.in[0] >= 0) k.in = type_of(s.in[0]);
  if (s.weight >= 0) k.weights = type_of(s.weight);
  if (k.algorithm == algorithm::matmul && type_of(s.in[1]) != k.in) k.weights = type_of(s.in[1]);
  k.out = type_of(s.out);
  leaves(k.prologue, s.prologue_operand);
  leaves(k.epilogue, s.operand);
  return k;
}

}  // namespace detail

/// Runs when all steps are there, before scratch and memory are planned.
constexpr void store_half(lowering& l) {
  program& p = l.out;
  const std::vector<std::uint8_t> halved = detail::halved_storages(p, l.facts);
  // Of weights: what a step reads as its input has the type of its other inputs.
  const auto type_of = [&](const storage& s, const packed_tensor* t) {
    const bool value = s.where == space::arena || (t->kind == pack_kind::plain && l.facts.stored != element::f32);
    return value ? l.facts.stored : l.facts.packed;
  };
  std::size_t tensor = 0;
  p.weights_bytes = 0;
  std::vector<element> type(halved.size(), element::f32);
  for (std::size_t i = 0; i < halved.size(); ++i) {
    storage& s = p.storages[i];
    packed_tensor* const t = s.where == space::weights ? &p.packed[tensor++] : nullptr;
    if (halved[i] != 0) {
      s.bytes /= 2;
      type[i] = type_of(s, t);
    }
    if (t == nullptr) continue;
    if (halved[i] != 0) {
      t->type = type[i];
      if (l.facts.wide_biases)
        s.bytes += 2 * packed_biases(*t, p.loads[static_cast<std::size_t>(t->source)], l.facts.width);
    }
    t->bytes = s.bytes;
    t->offset = s.offset = p.weights_bytes;
    p.weights_bytes = round_up(p.weights_bytes + t->bytes, buffer_alignment);
  }
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const auto i = static_cast<std::size_t>(p.edge_storage[e]);
    if (halved[i] == 0) continue;
    p.edges[e].type = type[i];
    p.edges[e].offset /= 2;
  }
  for (const step& s : p.steps) {  // biases may have made weights longer
    if (s.weight < 0) continue;
    edge& w = p.edges[static_cast<std::size_t>(s.weight)];
    const storage& all = p.storages[static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(s.weight)])];
    w.extent[plan_rank - 1] = static_cast<std::int32_t>(all.bytes / static_cast<std::int64_t>(size_of(w.type)));
  }
  std::vector<std::int16_t> kernels;
  std::vector<kernel_key> keys;
  for (const step& s : p.steps) {
    kernels.push_back(number_of(keys, detail::retyped(p, s)));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) p.steps[i].kernel = kernels[i];
  p.keys = keys;
  count_traffic(p);
}

}  // namespace tkl
