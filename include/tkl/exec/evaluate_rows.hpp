// SPDX-License-Identifier: Apache-2.0
// How softmax, log-softmax and layer normalisation of tensors run: algo/softmax.hpp, algo/layer_norm.hpp, no scratch
// memory. The schedule is a row_schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/layer_norm.hpp>
#include <tkl/algo/softmax.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/op/row_expression.hpp>
#include <tkl/schedule/row.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// What the row operations share.
template <class Op, class X>
struct row_evaluator {
  static_assert(is_floating(element_of<element_of_operand<X>>),
                "the input must be f32, f16 or bf16: assign it to such a tensor first");
  static constexpr bool direct = true;
  static constexpr result_frame frame(const Op&) { return result_frame(X::rank); }
  template <class Target, auto... S>
  static constexpr complaint mistake(const Op& op) {
    need_schedule<row_schedule, S...>();
    static_assert(valid_row_schedule<schedule_or<row_schedule{}, S...>>,
                  "a row_schedule has 1 to 8 vectors and a buffer of 64 to 16384");
    return need_rows("the input", locate(op.x));
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const Op&, const strided_shape&, int) {
    return 0;
  }
};

template <class X, bool Logarithm, class P>
struct evaluator<softmax_operation<X, Logarithm, P>> : row_evaluator<softmax_operation<X, Logarithm, P>, X> {
  template <class Target, auto... S, class TC, class E>
  static void run(const softmax_operation<X, Logarithm, P>& op, const strided4<TC>& y, const E& e,
                  const result_frame& f, const Target& target, std::byte*) {
    constexpr auto kind = Logarithm ? softmax_kind::logarithm : softmax_kind::probability;
    const softmax_problem<element_of_operand<X>, TC> p{strided_view_of(as_read_only(locate(op.x))), y};
    softmax<schedule_or<row_schedule{}, S...>, kind, typename Target::machine>(
        p, bind_expression<true>(e, f, acc_node{}), target.executor);
  }
};

template <class X, class P>
struct evaluator<layer_norm_operation<X, P>> : row_evaluator<layer_norm_operation<X, P>, X> {
  template <class Target, auto... S, class TC, class E>
  static void run(const layer_norm_operation<X, P>& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte*) {
    const layer_norm_problem<element_of_operand<X>, TC> p{strided_view_of(as_read_only(locate(op.x))), y,
                                                          static_cast<float>(op.params.get().eps)};
    layer_norm<schedule_or<row_schedule{}, S...>, typename Target::machine>(p, bind_expression<true>(e, f, acc_node{}),
                                                                            target.executor);
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
