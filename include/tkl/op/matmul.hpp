// SPDX-License-Identifier: Apache-2.0
// Matrix products: matmul (batched, leading axes broadcast) and linear (x times a weight stored out x in).
#pragma once

#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/elementwise.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// Attributes of matmul: whether the last two axes of an operand are taken as transposed.
struct matmul_params {
  bool transpose_a = false;
  bool transpose_b = false;
  constexpr bool operator==(const matmul_params&) const = default;
};

/// Shape rule of matmul: a [..., M, K], b [..., K, N] -> [..., M, N]; leading axes broadcast by the NumPy rule. K may
/// be 0: the result is then 0.
TKL_TAGGED constexpr shape_or_complaint matmul_rule(const shape& a, const shape& b, const matmul_params& p) {
  complaint c;
  if (a.rank < 2)
    c << "first operand has shape " << a << ", needs at least 2 axes";
  else if (b.rank < 2)
    c << "second operand has shape " << b << ", needs at least 2 axes";
  if (!c.empty()) return complain(c);
  const std::int64_t inner_a = a.back(p.transpose_a ? 1 : 0), inner_b = b.back(p.transpose_b ? 0 : 1);
  if (inner_a != inner_b) {
    c << "inner extents differ: first operand " << a << (p.transpose_a ? " (transposed)" : "") << " has " << inner_a
      << ", second operand " << b << (p.transpose_b ? " (transposed)" : "") << " has " << inner_b;
    return complain(c);
  }
  shape lead_a = a, lead_b = b;
  lead_a.rank -= 2, lead_b.rank -= 2;
  const broadcast_result lead = broadcast(lead_a, lead_b);
  if (!lead.compatible) {
    c << "leading axes of " << a << " and " << b << " do not broadcast";
    return complain(c);
  }
  shape out = lead.out;
  out.rank += 2;
  out[out.rank - 2] = a.back(p.transpose_a ? 0 : 1);
  out[out.rank - 1] = b.back(p.transpose_b ? 1 : 0);
  return checked_shape(out);
}

namespace detail {

constexpr value matmul_as(std::string_view name, value a, value b, const matmul_params& p) {
  node_builder n(name, op_kind::matmul, {a, b});
  if (n.silent) return n.none();
  const shape_or_complaint rule = matmul_rule(a->shape, b->shape, p);
  if (!rule.ok()) return n.fail(rule.error);
  complaint c = need_floating("first operand", a->type);
  if (c.empty()) c = need_same_type("first operand", a->type, "second operand", b->type);
  if (!c.empty()) return n.fail(c);
  n.made.attr.transpose_a = p.transpose_a;
  n.made.attr.transpose_b = p.transpose_b;
  return n.finish(a->type, rule);
}

}  // namespace detail

/// Batched matrix product.
constexpr value matmul(value a, value b, const matmul_params& p = {}) {
  return detail::matmul_as("matmul", a, b, p);
}

/// Shape rule of linear: x [..., I], w [O, I] -> [..., O].
TKL_TAGGED constexpr shape_or_complaint linear_rule(const shape& x, const shape& w) {
  complaint c;
  if (x.rank < 2)
    c << "input has shape " << x << ", needs at least 2 axes";
  else if (w.rank != 2)
    c << "weight has shape " << w << " with " << w.rank << " axes, needs 2: out x in";
  else if (x.back(0) != w[1])
    c << "input has " << x.back(0) << " columns, weight " << w << " (out x in) expects " << w[1];
  if (!c.empty()) return complain(c);
  shape out = x;
  out[out.rank - 1] = w[0];
  return checked_shape(out);
}

/// x times the transpose of w: a fully connected layer whose weight is stored out x in (PyTorch).
constexpr value linear(value x, value w) {
  node_builder n("linear", op_kind::matmul, {x, w});
  if (n.silent) return n.none();
  const shape_or_complaint rule = linear_rule(x->shape, w->shape);
  if (!rule.ok()) return n.fail(rule.error);
  return detail::matmul_as("linear", x, w, {.transpose_b = true});
}
/// The same plus bias [O].
constexpr value linear(value x, value w, value bias) {
  {
    node_builder n("linear", op_kind::matmul, {x, w, bias});
    if (n.silent) return n.none();
    const shape_or_complaint rule = linear_rule(x->shape, w->shape);
    complaint c = rule.error;
    if (c.empty()) c = need_vector("bias", bias->shape, w->shape[0], "output columns");
    if (!c.empty()) return n.fail(c);
  }
  return add(detail::matmul_as("linear", x, w, {.transpose_b = true}), bias);
}

TKL_ISA_BEGIN

/// y[..., m, n] = sum over k of a[..., m, k] * b[..., k, n].
inline void matmul_definition(real_input a, real_input b, real_output y, const attributes& attr) {
  const int rank = y.shape.rank;
  const std::int64_t rows = y.shape[rank - 2], columns = y.shape[rank - 1];
  const std::int64_t inner = a.shape.back(attr.transpose_a ? 1 : 0);
  shape lead = y.shape, lead_a = a.shape, lead_b = b.shape;
  lead.rank -= 2, lead_a.rank -= 2, lead_b.rank -= 2;
  const broadcast_strides stride_a(lead_a, lead), stride_b(lead_b, lead);
  const std::int64_t batches = lead.elements().value;
  place_counter place{lead};
  for (std::int64_t batch = 0; batch < batches; ++batch, place.next()) {
    const double* left = a.data + stride_a.offset(place) * a.shape.back(0) * a.shape.back(1);
    const double* right = b.data + stride_b.offset(place) * b.shape.back(0) * b.shape.back(1);
    for (std::int64_t m = 0; m < rows; ++m)
      for (std::int64_t n = 0; n < columns; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k)
          sum += left[attr.transpose_a ? k * rows + m : m * inner + k] *
                 right[attr.transpose_b ? n * inner + k : k * columns + n];
        y.data[(batch * rows + m) * columns + n] = sum;
      }
  }
}

TKL_ISA_END
}  // namespace tkl
