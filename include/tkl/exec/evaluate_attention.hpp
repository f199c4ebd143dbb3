// SPDX-License-Identifier: Apache-2.0
// How attention of tensors runs: algo/attention.hpp with scratch memory per worker. The schedule is an
// attention_schedule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tkl/algo/attention.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/op/attention_expression.hpp>
#include <tkl/schedule/attention.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class Q, class K, class V, class Score, class P, bool Whole>
struct evaluator<attention_operation<Q, K, V, Score, P, Whole>> {
  using operation_type = attention_operation<Q, K, V, Score, P, Whole>;
  using T = element_of_operand<Q>;
  static_assert(is_floating(element_of<T>), "q must be f32, f16 or bf16: assign it to such a tensor first");
  static_assert(std::is_same_v<T, element_of_operand<K>> && std::is_same_v<T, element_of_operand<V>>,
                "q, k and v have one element type");
  static constexpr result_frame frame(const operation_type&) { return result_frame(3); }

  template <class Target, auto... S>
  static constexpr attention_schedule schedule = schedule_or<Target::arch_type::attention, S...>;

  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type& op) {
    need_schedule<attention_schedule, S...>();
    static_assert(attention_tiles_whole<schedule<Target, S...>, Target::arch_type::width_f32>,
                  "an attention_schedule has blocks of whole register tiles");
    static_assert(attention_fits_registers<schedule<Target, S...>, typename Target::arch_type>,
                  "the attention_schedule's register tile does not fit this architecture");
    complaint c = need_rows("q", locate(op.q));
    if (c.empty()) c = need_rows("k", locate(op.k));
    if (c.empty()) c = need_rows("v", locate(op.v));
    return c;
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type& op, const strided_shape&, int workers) {
    const attention_params& p = op.params.get();
    return workers * attention_scratch_bytes(schedule<Target, S...>, Target::arch_type::width_f32, 4,
                                             locate(op.q).extents[2] / p.heads,
                                             locate(op.v).extents[2] / p.heads_of_keys());
  }
  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte* memory) {
    const attention_params& params = op.params.get();
    attention_problem<T, TC> p{strided_view_of(as_read_only(locate(op.q))), strided_view_of(as_read_only(locate(op.k))),
                               strided_view_of(as_read_only(locate(op.v))), y};
    const std::int64_t queries = y.shape.extent[2], keys = p.k.shape.extent[2];
    p.heads = params.heads;
    p.key_heads = params.heads_of_keys();
    p.reach = reach_of(params.causal, queries, keys);
    p.scale = static_cast<float>(op.scale());
    const auto run_with = [&](const auto& score) {
      attention<schedule<Target, S...>, typename Target::machine>(
          p, bind_score(score, queries, keys), bind_expression<true>(e, f, acc_node{}), target.executor, memory);
    };
    if constexpr (tkl::detail::is_causal_score<Score>) {
      p.reach = (std::min)(p.reach, reach_of(tkl::detail::causality_of(op.score), queries, keys));
      run_with(op.score.b);
    } else {
      run_with(op.score);
    }
  }

 private:
  /// The score of kernel nodes, whose outer axes are batch, head, key, and whose columns are queries.
  static auto bind_score(const auto& score, std::int64_t queries, std::int64_t keys) {
    result_frame frame(4);
    frame.kernel_axis[2] = 3, frame.kernel_axis[3] = 2;
    const auto counted = map_leaves(score, [&]<class Leaf>(const Leaf& leaf) {
      if constexpr (std::is_same_v<Leaf, tkl::detail::reach_leaf>) {
        return literal_node{{}, static_cast<float>(reach_of(leaf.causal, queries, keys))};
      } else {
        return leaf;
      }
    });
    return bind_expression<false>(counted, frame, acc_node{});
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
