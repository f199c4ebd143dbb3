// SPDX-License-Identifier: Apache-2.0
// Half storage: what only steps see lies in memory as f16, or as bf16 where the target says so. Kernels widen when they
// load and round when they store, as for any tensor of that type; all arithmetic stays f32.
//
// Rule: an arena storage becomes f16 when all its edges are f32; so do the packed weights of contractions, unless the
// target's kernels want them in f32, and constants that a step reads as its input. Inputs and outputs of the model,
// integers, and constants per channel keep their types. The inputs of one step (of attention, of a product) share the
// type in its kernel's key: all of them become f16, or none. Obligation: no step is added, and none computes otherwise
// than on rounded operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/graph/passes/lowering.hpp>
#include <tkl/graph/program.hpp>
#include <vector>

namespace tkl {

namespace detail {

/// The storages that become f16.
constexpr std::vector<std::uint8_t> halved_storages(const program& p, const target_facts& facts) {
  std::vector<std::uint8_t> halved(p.storages.size(), 0), read_as_input(p.storages.size(), 0);
  const auto storage_of = [&](std::int16_t e) {
    return static_cast<std::size_t>(p.edge_storage[static_cast<std::size_t>(e)]);
  };
  for (const step& s : p.steps)
    for (std::int16_t e : s.in)
      if (e >= 0) read_as_input[storage_of(e)] = 1;
  std::size_t tensor = 0;
  for (std::size_t i = 0; i < halved.size(); ++i) {
    if (p.storages[i].where == space::arena) halved[i] = 1;
    if (p.storages[i].where != space::weights) continue;
    const packed_tensor& t = p.packed[tensor++];
    halved[i] = t.type == element::f32 && (t.kind != pack_kind::plain ? facts.packs_half : read_as_input[i] != 0);
  }
  for (std::size_t e = 0; e < p.edges.size(); ++e)
    if (p.edges[e].type != element::f32) halved[static_cast<std::size_t>(p.edge_storage[e])] = 0;
  for (bool changed = true; changed;) {
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
  std::size_t tensor = 0;
  p.weights_bytes = 0;
  for (std::size_t i = 0; i < halved.size(); ++i) {
    storage& s = p.storages[i];
    if (halved[i] != 0) s.bytes /= 2;
    if (s.where != space::weights) continue;
    packed_tensor& t = p.packed[tensor++];
    if (halved[i] != 0) t.type = l.facts.stored;
    t.bytes = s.bytes;
    t.offset = s.offset = p.weights_bytes;
    p.weights_bytes = round_up(p.weights_bytes + t.bytes, buffer_alignment);
  }
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    if (halved[static_cast<std::size_t>(p.edge_storage[e])] == 0) continue;
    p.edges[e].type = l.facts.stored;
    p.edges[e].offset /= 2;
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
