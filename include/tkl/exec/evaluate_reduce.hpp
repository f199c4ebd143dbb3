// SPDX-License-Identifier: Apache-2.0
// How reductions of tensors run: algo/reduce.hpp, no scratch memory. The schedule is a row_schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/reduce.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/op/reduce_expression.hpp>
#include <tkl/schedule/row.hpp>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class X, reduce_kind Kind, class P>
struct evaluator<reduce_operation<X, Kind, P>> {
  using operation_type = reduce_operation<X, Kind, P>;
  static_assert(is_floating(element_of<element_of_operand<X>>),
                "the input must be f32, f16 or bf16: assign it to such a tensor first");

  /// Axes that are reduced away leave an axis of the kernel without one of the result.
  static constexpr result_frame frame(const operation_type& op) {
    const int rank = locate(op.x).extents.rank;
    const reduce_rule_result r = op.reduction();
    if (op.params.get().params.keep_dims) return result_frame(rank);
    result_frame f;
    for (int i = 0; i < rank; ++i)
      if (!(r.axes >> i & 1u)) f.kernel_axis[f.rank++] = 4 - rank + i;
    return f;
  }
  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type& op) {
    need_schedule<row_schedule, S...>();
    static_assert(valid_row_schedule<schedule_or<row_schedule{}, S...>>,
                  "a row_schedule has 1 to 8 vectors and a buffer of 64 to 16384");
    return need_rows("the input", locate(op.x));
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type&, const strided_shape&, int) {
    return 0;
  }
  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte*) {
    const auto x = as_read_only(locate(op.x));
    const unsigned axes = op.reduction().axes << (4 - x.extents.rank);
    const reduce_problem<element_of_operand<X>, TC> p{strided_view_of(x), y, axes};
    constexpr row_schedule schedule = schedule_or<row_schedule{}, S...>;
    if constexpr (Kind == reduce_kind::argmax) {
      static_assert(std::is_same_v<TC, std::int32_t>, "the target of argmax has i32 elements");
      static_assert(operation<E>, "an index takes no element-wise part");
      reduce<schedule, Kind, typename Target::machine>(p, acc_node{}, target.executor);
    } else {
      reduce<schedule, Kind, typename Target::machine>(p, bind_expression<keeps_columns()>(e, f, acc_node{}),
                                                       target.executor);
    }
  }

 private:
  /// Whether the result's last axis is the kernel's, as far as the types tell.
  static constexpr bool keeps_columns() {
    if constexpr (P::is_static) {
      constexpr reduce_arguments a = P::get();
      if (a.params.keep_dims) return true;
      for (int i = 0; i < a.axes.count; ++i)
        if (normalise_axis(a.axes.axis[i], X::rank) == X::rank - 1) return false;
      return true;
    } else {
      return false;
    }
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
