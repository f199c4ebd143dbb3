// SPDX-License-Identifier: Apache-2.0
// Reductions over axes: sum, mean, max, min, and the place of the largest element. Global pooling is a reduction over
// rows and columns.
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>
#include <vector>

namespace tkl {

/// Attributes of reductions: whether a reduced axis stays with extent 1.
struct reduce_params {
  bool keep_dims = true;
  constexpr bool operator==(const reduce_params&) const = default;
};

/// Shape of the result, and the axes as bits.
struct reduce_rule_result {
  shape_or_complaint result{};
  std::uint32_t axes = 0;
};

/// Shape rule of reductions. A sum over no elements is 0; mean, max, min and argmax need at least one.
TKL_TAGGED constexpr reduce_rule_result reduce_rule(const shape& x, const axis_list& axes, reduce_kind kind,
                                                    const reduce_params& p) {
  reduce_rule_result r;
  complaint& error = r.result.error;
  if (axes.count == 0) {
    error << "no axis is given";
    return r;
  }
  for (int i = 0; i < axes.count; ++i) {
    const int axis = normalise_axis(axes.axis[i], x.rank);
    if (axis < 0) {
      error << "axis " << axes.axis[i] << " is out of range for shape " << x << " with " << x.rank << " axes";
      return r;
    }
    if (r.axes >> axis & 1u) {
      error << "axis " << axis << " is given twice";
      return r;
    }
    r.axes |= 1u << axis;
    if (x[axis] == 0 && kind != reduce_kind::sum) {
      error << "axis " << axis << " has 0 elements: only a sum may be taken over none";
      return r;
    }
  }
  shape out;
  for (int i = 0; i < x.rank; ++i) {
    if (!(r.axes >> i & 1u)) {
      out[out.rank++] = x[i];
    } else if (p.keep_dims) {
      out[out.rank++] = 1;
    }
  }
  r.result.out = out;
  return r;
}

namespace detail {

constexpr value reduce_as(std::string_view name, value x, const axis_list& axes, reduce_kind kind,
                          const reduce_params& p) {
  node_builder b(name, op_kind::reduce, {x});
  if (b.silent) return b.none();
  const reduce_rule_result rule = reduce_rule(x->shape, axes, kind, p);
  if (!rule.result.ok()) return b.fail(rule.result.error);
  const complaint c = need_floating("input", x->type);
  if (!c.empty()) return b.fail(c);
  b.made.attr.axes = rule.axes;
  b.made.attr.mode = static_cast<std::uint8_t>(kind);
  b.made.attr.keep_dims = p.keep_dims;
  return b.finish(kind == reduce_kind::argmax ? element::i32 : x->type, rule.result);
}

}  // namespace detail

/// Sum over the axes.
constexpr value reduce_sum(value x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_as("reduce_sum", x, axes, reduce_kind::sum, p);
}
/// Mean over the axes.
constexpr value reduce_mean(value x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_as("reduce_mean", x, axes, reduce_kind::mean, p);
}
/// Largest element over the axes; NaN when there is one.
constexpr value reduce_max(value x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_as("reduce_max", x, axes, reduce_kind::max, p);
}
/// Smallest element over the axes; NaN when there is one.
constexpr value reduce_min(value x, const axis_list& axes, const reduce_params& p = {}) {
  return detail::reduce_as("reduce_min", x, axes, reduce_kind::min, p);
}
/// Index (i32) of the largest element along one axis: the first of equal ones; the first NaN where there is one.
constexpr value argmax(value x, int axis, const reduce_params& p = {}) {
  return detail::reduce_as("argmax", x, axis, reduce_kind::argmax, p);
}

namespace detail {

constexpr value global_pool(std::string_view name, value x, reduce_kind kind) {
  if (x.valid() && x.shape().rank != 4) {
    node_builder b(name, op_kind::reduce, {x});
    return b.fail(complaint{} << "input has shape " << x.shape() << " with " << x.shape().rank
                              << " axes, needs 4: batch, row, column, channel");
  }
  return reduce_as(name, x, {1, 2}, kind, {});
}

}  // namespace detail

/// Mean over rows and columns: [N, H, W, C] -> [N, 1, 1, C].
constexpr value global_average_pool(value x) {
  return detail::global_pool("global_average_pool", x, reduce_kind::mean);
}
/// Largest element over rows and columns: [N, H, W, C] -> [N, 1, 1, C].
constexpr value global_max_pool(value x) {
  return detail::global_pool("global_max_pool", x, reduce_kind::max);
}

TKL_ISA_BEGIN

/// For each element of the result: walk the reduced axes of x in row-major order.
inline void reduce_definition(real_input x, real_output y, const attributes& a) {
  const auto kind = static_cast<reduce_kind>(a.mode);
  // With the reduced axes as extents of 1 the result is a tensor that broadcasts to x: its strides find the element.
  shape kept = x.shape;
  std::int64_t count = 1;
  for (int i = 0; i < x.shape.rank; ++i)
    if (a.axes >> i & 1u) count *= x.shape[i], kept[i] = 1;
  const broadcast_strides to(kept, x.shape);
  const std::int64_t results = y.shape.elements().value, elements = x.shape.elements().value;
  std::vector<double> best(static_cast<std::size_t>(results));
  std::vector<std::int64_t> seen(static_cast<std::size_t>(results));
  for (std::int64_t i = 0; i < results; ++i) y.data[i] = 0;
  place_counter place{x.shape};
  for (std::int64_t i = 0; i < elements; ++i, place.next()) {
    const std::int64_t at = to.offset(place);
    const double e = x.data[i];
    double& held = best[static_cast<std::size_t>(at)];
    std::int64_t& index = seen[static_cast<std::size_t>(at)];
    if (kind == reduce_kind::sum || kind == reduce_kind::mean) {
      held += e;
    } else {
      const bool wins = kind == reduce_kind::min ? e < held : e > held;
      if (index == 0 || (held == held && (wins || e != e))) {
        held = e;
        y.data[at] = static_cast<double>(index);
      }
    }
    ++index;
  }
  if (kind == reduce_kind::argmax) return;
  for (std::int64_t i = 0; i < results; ++i) {
    y.data[i] = best[static_cast<std::size_t>(i)];
    if (kind == reduce_kind::mean) y.data[i] /= static_cast<double>(count);
  }
}

TKL_ISA_END
}  // namespace tkl
