// SPDX-License-Identifier: Apache-2.0
// How pooling of tensors runs: algo/pool2d.hpp, no scratch memory, no schedule.
#pragma once

#include <tkl/algo/pool2d.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate_spatial.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class X, pool_kind Kind, class P>
struct evaluator<pool2d_operation<X, Kind, P>> : spatial_evaluator<pool2d_operation<X, Kind, P>, X> {
  template <class Target, auto... S, class TC, class E>
  static void run(const pool2d_operation<X, Kind, P>& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte*) {
    const attributes a = op.pool().attr;
    pool2d_problem<element_of_operand<X>, TC> p;
    p.x = strided_view_of(as_read_only(locate(op.x)));
    p.y = y;
    for (int i = 0; i < 2; ++i) p.kernel[i] = a.kernel[i], p.stride[i] = a.stride[i], p.dilation[i] = a.dilation[i];
    for (int i = 0; i < 4; ++i) p.pad[i] = a.pad[i];
    if constexpr (Kind == pool_kind::average) p.include_pad = op.params.get().count_include_pad;
    pool2d<Kind, typename Target::machine>(p, bind_expression<true>(e, f, acc_node{}), target.executor);
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
