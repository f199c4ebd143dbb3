// SPDX-License-Identifier: Apache-2.0
// How a concatenation of tensors runs: one map per part, each into its place of the target (algo/map.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/map.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/op/concat_expression.hpp>
#include <tuple>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class P, class... X>
struct evaluator<concat_operation<P, X...>> {
  using operation_type = concat_operation<P, X...>;
  static constexpr result_frame frame(const operation_type& op) { return result_frame(op.rule().out.rank); }
  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type&) {
    static_assert(sizeof...(S) == 0, "this operation is not cut by a schedule");
    return {};
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type&, const strided_shape&, int) {
    return 0;
  }
  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte*) {
    const int axis = normalise_axis(op.params.get().axis, f.rank), kernel_axis = f.kernel_axis[axis];
    result_frame moved = f;
    std::apply([&](const X&... x) { (copy_part(x, y, e, axis, kernel_axis, moved, target), ...); }, op.parts);
  }

 private:
  template <class Part, class TC, class E, class Target>
  static void copy_part(const Part& x, const strided4<TC>& y, const E& e, int axis, int kernel_axis,
                        result_frame& moved, const Target& target) {
    const auto l = locate(x);
    const std::int64_t extent = l.extents[axis], origin = moved.origin[axis];
    map_problem<TC> p;
    for (int i = 0; i < 4; ++i) p.extent[i] = y.shape.extent[i];
    for (int i = 0; i < 3; ++i) p.stride[i] = y.shape.stride[i];
    p.extent[kernel_axis] = extent;
    p.y = y.data + origin * p.stride[kernel_axis];
    const auto own = node_at<kind_of_leaf<Part, true>>(place_leaf(l, result_frame(moved.rank)));
    if (extent > 0) map<typename Target::machine>(p, bind_expression<true>(e, moved, own), target.executor);
    moved.origin[axis] += extent;
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
