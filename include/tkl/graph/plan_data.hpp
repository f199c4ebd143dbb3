// SPDX-License-Identifier: Apache-2.0
// A program frozen into arrays of exact size: the plan as it stands in the object file.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tkl/graph/program.hpp>

namespace tkl {

/// How many of each a program has.
struct plan_counts {
  int steps = 0, edges = 0, keys = 0, inputs = 0, outputs = 0;
  int loads = 0, folds = 0, packed = 0, names = 0, buffers = 0;
  int stages = 0, stage_keys = 0;  // of chains
};

constexpr plan_counts counts_of(const program& p) {
  const auto n = [](const auto& v) { return static_cast<int>(v.size()); };
  int buffers = 0;
  for (const storage& s : p.storages) buffers += s.where == space::arena && s.root < 0 && s.first >= 0;
  return {n(p.steps), n(p.edges),  n(p.keys),  n(p.inputs), n(p.outputs), n(p.loads),
          n(p.folds), n(p.packed), n(p.names), buffers,     n(p.stages),  n(p.stage_keys)};
}

/// An array that may be empty.
template <class T, int N>
using frozen = std::array<T, static_cast<std::size_t>(N > 0 ? N : 1)>;

/// What a run reads. Stages of chains stand behind the steps: room for either serves both.
template <plan_counts N>
struct plan_data {
  frozen<step, N.steps + N.stages> steps{};
  frozen<edge, N.edges> edges{};
  frozen<std::int16_t, N.inputs> inputs{};
  frozen<std::int16_t, N.outputs> outputs{};
};

/// What loading reads: the same for all shapes of one model.
template <plan_counts N>
struct load_data {
  frozen<load_node, N.loads> loads{};
  frozen<channel_fold, N.folds> folds{};
  frozen<packed_tensor, N.packed> packed{};
};

/// What decides the kernels, and numbers for constants; not part of the object file. Keys of stages stand behind those
/// of the steps.
template <plan_counts N>
struct plan_facts {
  frozen<kernel_key, N.keys + N.stage_keys> keys{};
  std::int64_t arena_bytes = 0, lower_bound = 0, weights_bytes = 0, flops = 0, bytes_read = 0, bytes_written = 0;
  int conversions = 0;
};

namespace detail {
/// Copies through pointers: operator[] of the containers takes g++ three times as long to evaluate.
template <class A, class V>
constexpr void freeze(A& frozen, const V& from, int count, int first = 0) {
  auto* to = frozen.data() + first;
  const auto* x = from.data();
  for (int i = 0; i < count; ++i) to[i] = x[i];
}

/// The first elements of an array. Without a loop, whose every turn takes the compiler as long as the whole of this.
template <class A, class From>
constexpr A first_of(const From& from) {
  if constexpr (sizeof(A) == sizeof(From)) {
    return from;
  } else {
    struct parts {
      A first;
      std::array<typename From::value_type, (sizeof(From) - sizeof(A)) / sizeof(typename From::value_type)> rest;
    };
    return std::bit_cast<parts>(from).first;
  }
}
}  // namespace detail

/// Everything about a plan at once, made from one run of the passes.
template <plan_counts N>
struct frozen_program {
  plan_data<N> plan{};
  load_data<N> load{};
  plan_facts<N> facts{};
  frozen<char, N.names> names{};
};

/// Nothing yet: a constant, which is copied at once where members would be initialised one by one.
template <plan_counts N>
inline constexpr frozen_program<N> nothing_frozen{};

template <plan_counts N>
constexpr frozen_program<N> freeze(const program& p) {
  frozen_program<N> f = nothing_frozen<N>;
  const plan_counts n = counts_of(p);
  detail::freeze(f.plan.steps, p.steps, n.steps);
  detail::freeze(f.plan.edges, p.edges, n.edges);
  detail::freeze(f.plan.inputs, p.inputs, n.inputs);
  detail::freeze(f.plan.outputs, p.outputs, n.outputs);
  detail::freeze(f.plan.steps, p.stages, n.stages, n.steps);
  detail::freeze(f.load.loads, p.loads, n.loads);
  detail::freeze(f.load.folds, p.folds, n.folds);
  detail::freeze(f.load.packed, p.packed, n.packed);
  detail::freeze(f.facts.keys, p.keys, n.keys);
  detail::freeze(f.facts.keys, p.stage_keys, n.stage_keys, n.keys);
  if constexpr (std::tuple_size_v<decltype(f.names)> == name_pool::usual_bytes) {
    if (p.names.usual() != nullptr) f.names = *p.names.usual();
  } else {
    detail::freeze(f.names, p.names, n.names);
  }
  f.facts.arena_bytes = p.arena_bytes;
  f.facts.lower_bound = p.lower_bound;
  f.facts.weights_bytes = p.weights_bytes;
  f.facts.flops = p.flops;
  f.facts.bytes_read = p.bytes_read;
  f.facts.bytes_written = p.bytes_written;
  f.facts.conversions = p.conversions;
  return f;
}

/// The same in arrays of another size, each at least as large as what is used and at most as large as it was.
template <plan_counts N, plan_counts From>
constexpr frozen_program<N> shrink(const frozen_program<From>& p) {
  using detail::first_of;
  using plan = plan_data<N>;
  using load = load_data<N>;
  return {.plan = {.steps = first_of<decltype(plan::steps)>(p.plan.steps),
                   .edges = first_of<decltype(plan::edges)>(p.plan.edges),
                   .inputs = first_of<decltype(plan::inputs)>(p.plan.inputs),
                   .outputs = first_of<decltype(plan::outputs)>(p.plan.outputs)},
          .load = {.loads = first_of<decltype(load::loads)>(p.load.loads),
                   .folds = first_of<decltype(load::folds)>(p.load.folds),
                   .packed = first_of<decltype(load::packed)>(p.load.packed)},
          .facts = {.keys = first_of<decltype(plan_facts<N>::keys)>(p.facts.keys),
                    .arena_bytes = p.facts.arena_bytes,
                    .lower_bound = p.facts.lower_bound,
                    .weights_bytes = p.facts.weights_bytes,
                    .flops = p.facts.flops,
                    .bytes_read = p.facts.bytes_read,
                    .bytes_written = p.facts.bytes_written,
                    .conversions = p.facts.conversions},
          .names = first_of<decltype(frozen_program<N>::names)>(p.names)};
}

/// Room for most models: a program that fits is made once, a larger one twice (once for its counts).
inline constexpr plan_counts usual_counts{.steps = 160,
                                          .edges = 640,
                                          .keys = 40,
                                          .inputs = 8,
                                          .outputs = 16,
                                          .loads = 512,
                                          .folds = 192,
                                          .packed = 320,
                                          .names = name_pool::usual_bytes};

constexpr bool fits(const plan_counts& n, const plan_counts& room) {
  return n.steps + n.stages <= room.steps && n.edges <= room.edges && n.keys + n.stage_keys <= room.keys &&
         n.inputs <= room.inputs && n.outputs <= room.outputs && n.loads <= room.loads && n.folds <= room.folds &&
         n.packed <= room.packed && n.names <= room.names;
}

}  // namespace tkl
