// SPDX-License-Identifier: Apache-2.0
// The passes in order: cancel views, find attention, eliminate, choose destinations, fold and fuse while lowering, half
// storage, chains, order, in-place, memory.
#pragma once

#include <cstdint>
#include <tkl/graph/passes/attention_pattern.hpp>
#include <tkl/graph/passes/cancel_views.hpp>
#include <tkl/graph/passes/chains.hpp>
#include <tkl/graph/passes/eliminate.hpp>
#include <tkl/graph/passes/half_storage.hpp>
#include <tkl/graph/passes/in_place.hpp>
#include <tkl/graph/passes/lent_outputs.hpp>
#include <tkl/graph/passes/memory.hpp>
#include <tkl/graph/passes/order.hpp>
#include <tkl/graph/passes/steps.hpp>
#include <utility>
#include <vector>

namespace tkl {

namespace detail {

constexpr void lower_inputs(lowering& l) {
  for (std::size_t i = 0; i < l.g.inputs.size(); ++i) {
    const std::int32_t id = l.g.inputs[i];
    const node& n = l.at(id);
    const std::int32_t s = value_storage(l, space::input, id, n.name, static_cast<std::int16_t>(i));
    l.place_of(id) = n.attr.layout == static_cast<std::uint8_t>(memory_layout::nchw) ? nchw_place(s, n.shape)
                                                                                     : dense_place(s, n.shape);
    l.state_of(id) = node_state::ready;
    l.out.inputs.push_back(own_edge(l, id));
  }
}

/// `chain_of`: one more than the number of the chain of a convolution, 0 for none.
constexpr void lower_node(lowering& l, std::int32_t id, const node_array<std::int16_t>& chain_of,
                          const std::vector<prologue_chain>& chains) {
  switch (l.at(id).kind) {
    case op_kind::map:
    case op_kind::cast:
    case op_kind::keep_first:
    case op_kind::batch_norm:
      return lower_map(l, id);
    case op_kind::conv2d: {
      const std::int16_t c = chain_of[id];
      return lower_conv2d(l, id, c == 0 ? nullptr : &chains[static_cast<std::size_t>(c) - 1]);
    }
    case op_kind::conv_transpose2d:
      return lower_conv_transpose2d(l, id);
    case op_kind::matmul:
      return lower_matmul(l, id);
    case op_kind::pool2d:
      return lower_pool2d(l, id);
    case op_kind::reduce:
      return lower_reduce(l, id);
    case op_kind::softmax:
      return lower_rows(l, id, algorithm::softmax);
    case op_kind::layer_norm:
      return lower_rows(l, id, algorithm::layer_norm);
    case op_kind::attention:
      return lower_attention(l, id);
    case op_kind::resize2d:
      return lower_resize2d(l, id);
    case op_kind::pad:
      return lower_pad(l, id);
    case op_kind::concat:
      return lower_concat(l, id);
    case op_kind::slice:
    case op_kind::transpose:
    case op_kind::reshape:
      return lower_view(l, id);
    case op_kind::weight:  // constant, unless it has too many axes
      return void(fits_step(l, id, l.at(id).shape, "a weight"));
    case op_kind::input:
    case op_kind::literal:
      return;
  }
}

/// Outputs that no step wrote in place: views, constants, inputs, a value declared twice, another order in memory.
constexpr void lower_outputs(lowering& l, const std::vector<place>& wanted) {
  for (std::size_t i = 0; i < wanted.size() && !l.failed(); ++i) {
    const std::int32_t id = l.g.outputs[i].node;
    const place& have = l.use_of(id).constant ? constant_place(l, id) : l.place_of(id);
    if (have.storage == wanted[i].storage) continue;
    push_copy(l, have, wanted[i], l.at(id).type, l.at(id).type, report_name(l, id), id);
  }
}

}  // namespace detail

namespace detail {

/// The storages that take room in the arena, and a plan for them.
struct planned_storages {
  std::vector<std::int32_t> owner{};
  std::vector<std::int64_t> offset{};  // one per owner
  arena_plan arena{};

  constexpr void make(const program& p) {
    std::vector<arena_buffer> buffers;
    for (const std::int32_t i : owner) {
      const storage& s = p.storages[static_cast<std::size_t>(i)];
      buffers.push_back({s.bytes, s.first, s.last});
    }
    offset = std::vector<std::int64_t>(owner.size(), 0);
    arena = plan_arena(buffers.data(), static_cast<int>(buffers.size()), offset.data());
  }
};

/// Lets values lie in the outputs where the arena is smaller for it.
constexpr void plan_with_outputs(program& p, planned_storages& plan) {
  const std::vector<std::int32_t> owners = plan.owner;
  std::vector<lent_storage> best;
  for (const bool last_first : {false, true}) {
    std::vector<lent_storage> lent = lend_storages(p, owners, last_first);
    std::vector<std::uint8_t> moves(p.storages.size(), 0);
    for (const lent_storage& l : lent) moves[static_cast<std::size_t>(l.storage)] = 1;
    planned_storages rest;
    for (const std::int32_t i : owners)
      if (moves[static_cast<std::size_t>(i)] == 0) rest.owner.push_back(i);
    rest.make(p);
    if (rest.arena.bytes >= plan.arena.bytes) continue;
    plan = std::move(rest);
    best = std::move(lent);
  }
  for (const lent_storage& l : best) move_to_output(p, l);
}

}  // namespace detail

/// Storages in the arena get offsets; every edge's offset becomes that within its space. `lends`: outputs are memory
/// before their results are written.
constexpr void assign_memory(program& p, bool lends = false) {
  detail::planned_storages plan;
  for (std::size_t i = 0; i < p.storages.size(); ++i) {
    const storage& s = p.storages[i];
    if (s.where == space::arena && s.root < 0 && s.first >= 0) plan.owner.push_back(static_cast<std::int32_t>(i));
  }
  plan.make(p);
  if (plan.arena.invalid >= 0) {
    const std::int32_t owner = plan.owner[static_cast<std::size_t>(plan.arena.invalid)];
    const storage& s = p.storages[static_cast<std::size_t>(owner)];
    p.error << "value '" << p.names.at(s.name) << "' of " << s.bytes
            << " bytes: with it, the values that steps hand on take more than " << checked::largest << " bytes";
    return;
  }
  if (lends) detail::plan_with_outputs(p, plan);
  for (std::size_t i = 0; i < plan.owner.size(); ++i)
    p.storages[static_cast<std::size_t>(plan.owner[i])].offset = plan.offset[i];
  p.arena_bytes = plan.arena.bytes;
  p.lower_bound = plan.arena.lower_bound;
  for (std::size_t i = 0; i < p.edges.size(); ++i)
    p.edges[i].offset += p.storages[static_cast<std::size_t>(detail::root_of(p, p.edge_storage[i]))].offset;
}

/// Scratch of each step, planned like a tensor that lives for that step: bytes for one worker as the target says.
template <class ScratchBytes>
constexpr void add_scratch(lowering& l, ScratchBytes scratch_bytes) {
  for (std::size_t i = 0; i < l.out.steps.size(); ++i) {
    const step& planned = l.out.steps[i];
    const std::int64_t bytes = planned.algorithm == algorithm::conv_chain
                                   ? detail::chain_scratch_bytes(l.out, planned, scratch_bytes)
                                   : scratch_bytes(planned, l.out.edges.data());
    if (bytes == 0) continue;
    const std::int32_t s = new_storage(l, space::arena, bytes, -1);
    l.out.storages.back().first = l.out.storages.back().last = static_cast<std::int32_t>(i);
    l.out.steps[i].scratch = add_edge(l, dense_place(s, shape(bytes)), element::u8, -1);
  }
}

/// Runs all passes on a graph. Errors are in the program's text. `scratch_bytes(step, edges)`: the scratch that the
/// target's kernel of a step needs per worker.
template <class ScratchBytes>
constexpr program make_program(graph g, const target_facts& facts, ScratchBytes scratch_bytes) {
  if (g.error.empty() && g.outputs.empty()) g.error << "the graph has no output";
  if (!g.error.empty()) {
    program p;
    p.error = g.error;
    return p;
  }
  cancel_views(g);
  find_attention(g);
  eliminate(g);
  lowering l(g, facts);
  detail::lower_inputs(l);
  const std::vector<place> outputs = choose_destinations(l);
  node_array<std::int16_t> chain_of(g.nodes.size());
  std::vector<prologue_chain> chains;
  const auto count = static_cast<std::int32_t>(g.nodes.size());
  for (std::int32_t id = 0; id < count; ++id) {
    if (!l.use_of(id).live || !stages_input(l, g.nodes[static_cast<std::size_t>(id)])) continue;
    const prologue_chain chain = find_prologue(l, id);
    if (!staging_pays(l, g.nodes[static_cast<std::size_t>(id)], chain)) continue;
    chains.push_back(chain);
    absorb_prologue(l, chains.back());
    chain_of[id] = static_cast<std::int16_t>(chains.size());
  }
  for (std::int32_t id = 0; id < count && !l.failed(); ++id) {
    const node_use& u = l.use_of(id);
    if (u.live && !u.constant && l.state_of(id) == node_state::waiting) detail::lower_node(l, id, chain_of, chains);
  }
  if (!l.failed()) detail::lower_outputs(l, outputs);
  if (!l.failed() && (facts.stored != element::f32 || facts.packed != element::f32)) store_half(l);
  if (!l.failed()) form_chains(l);
  if (l.failed()) return std::move(l.out);
  const auto plan_memory = [&](name_pool names) {
    add_scratch(l, scratch_bytes);
    if (!l.failed()) merge_in_place(l.out, facts.lends_outputs);
    l.out.names = std::move(names);
    if (!l.failed()) assign_memory(l.out, facts.lends_outputs);
  };
  const std::vector<std::int32_t> order = order_steps(l.out);
  if (order.empty()) {
    plan_memory(std::move(g.names));
    return std::move(l.out);
  }
  program other = l.out;
  plan_memory(g.names);
  std::swap(l.out, other);
  reorder_steps(l.out, order);
  plan_memory(std::move(g.names));
  const bool smaller = !l.failed() && (!other.error.empty() || l.out.arena_bytes < other.arena_bytes);
  return smaller ? std::move(l.out) : std::move(other);
}

}  // namespace tkl
