// SPDX-License-Identifier: Apache-2.0
// How attention of tensors runs: algo/attention.hpp with scratch memory per worker. The schedule is an
// attention_schedule.
#pragma once

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

template <class Q, class K, class V, class Mask, class P>
struct evaluator<attention_operation<Q, K, V, Mask, P>> {
  using operation_type = attention_operation<Q, K, V, Mask, P>;
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
    const std::int64_t heads = op.params.get().heads;
    return workers * attention_scratch_bytes(schedule<Target, S...>, Target::arch_type::width_f32, 4,
                                             locate(op.q).extents[2] / heads, locate(op.v).extents[2] / heads);
  }
  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte* memory) {
    const auto epilogue = bind_expression<true>(e, f, acc_node{});
    const auto with_mask = [&]<class TM>(const TM* mask, const leaf_place<TM>& place) {
      attention_problem<T, TM, TC> p{strided_view_of(as_read_only(locate(op.q))),
                                     strided_view_of(as_read_only(locate(op.k))),
                                     strided_view_of(as_read_only(locate(op.v))), y};
      p.mask = mask;
      for (int i = 0; i < 4; ++i) p.mask_stride[i] = place.step[i];
      p.heads = op.params.get().heads;
      p.scale = static_cast<float>(op.scale());
      attention<schedule<Target, S...>, typename Target::machine>(p, epilogue, target.executor, memory);
    };
    if constexpr (operation_type::has_mask) {
      const auto place = place_leaf(locate(op.mask), result_frame(4));
      with_mask(place.data, place);
    } else {
      with_mask(static_cast<const float*>(nullptr), leaf_place<float>{});
    }
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
