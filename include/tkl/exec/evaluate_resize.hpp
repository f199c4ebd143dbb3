// SPDX-License-Identifier: Apache-2.0
// How resizing and padding of tensors run: algo/resize2d.hpp, algo/pad.hpp, no scratch memory, no schedule.
#pragma once

#include <tkl/algo/pad.hpp>
#include <tkl/algo/resize2d.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate_spatial.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class X, class P>
struct evaluator<resize_operation<X, P>> : spatial_evaluator<resize_operation<X, P>, X> {
  template <class Target, auto... S, class TC, class E>
  static void run(const resize_operation<X, P>& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte*) {
    const resize_rule_result r = op.resizing();
    const resize_params& a = op.params.get();
    const resize2d_problem<element_of_operand<X>, TC> p{
        strided_view_of(as_read_only(locate(op.x))),
        y,
        {static_cast<float>(r.scale[0]), static_cast<float>(r.scale[1])},
        a.coordinates,
        a.rounding};
    using machine = typename Target::machine;
    const auto epilogue = bind_expression<true>(e, f, acc_node{});
    if constexpr (P::is_static) {
      resize2d<P::get().kind, machine>(p, epilogue, target.executor);
    } else if (a.kind == resize_kind::nearest) {
      resize2d<resize_kind::nearest, machine>(p, epilogue, target.executor);
    } else {
      resize2d<resize_kind::bilinear, machine>(p, epilogue, target.executor);
    }
  }
};

template <class X, class P>
struct evaluator<pad_operation<X, P>> : spatial_evaluator<pad_operation<X, P>, X> {
  template <class Target, auto... S, class TC, class E>
  static void run(const pad_operation<X, P>& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte*) {
    const auto x = as_read_only(locate(op.x));
    pad_problem<element_of_operand<X>, TC> p{strided_view_of(x), y};
    for (int i = 0; i < x.extents.rank; ++i) p.before[4 - x.extents.rank + i] = op.params.get().before[i];
    p.fill = static_cast<float>(op.params.get().fill);
    pad<typename Target::machine>(p, bind_expression<true>(e, f, acc_node{}), target.executor);
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
