// SPDX-License-Identifier: Apache-2.0
// What pooling, resizing and padding of tensors share when they run: no scratch memory, no schedule.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/op/spatial_expression.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class Op, class X>
struct spatial_evaluator {
  static_assert(is_floating(element_of<element_of_operand<X>>),
                "the input must be f32, f16 or bf16: assign it to such a tensor first");
  static constexpr result_frame frame(const Op&) { return result_frame(X::rank); }
  template <class Target, auto... S>
  static constexpr complaint mistake(const Op& op) {
    static_assert(sizeof...(S) == 0, "this operation is not cut by a schedule");
    return need_rows("the input", locate(op.x));
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const Op&, const strided_shape&, int) {
    return 0;
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
