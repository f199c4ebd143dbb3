// SPDX-License-Identifier: Apache-2.0
// Packed tensors in the type that the plan gives them: f32 as they were packed, or narrowed.
//
//   for each panel: its biases, which stay f32 where the target's kernels read them so
//                   its rows of weights, rounded to f16 or bf16
//
// A weight that the file holds as f32 and f16 does not reach is a mistake of the choice of type: infinite weights make
// results that are not numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tkl/config.hpp>
#include <tkl/core/number_text.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/number_converter.hpp>
#include <tkl/exec/weight_values.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Narrows runs of f32 one after the other into a packed tensor.
class narrowed_run {
 public:
  narrowed_run(element type, const number_converter& converter, const float* from, std::byte* to)
      : type_(type), converter_(converter), from_(from), to_(to) {}

  TKL_COLD void keep(std::int64_t n) {
    std::memcpy(to_, from_, static_cast<std::size_t>(n) * sizeof(float));
    from_ += n, to_ += n * std::int64_t{sizeof(float)};
  }
  TKL_COLD void narrow(std::int64_t n) {
    if (type_ == element::f16) {
      for (std::int64_t i = 0; i < n; ++i)
        if (std::fabs(from_[i]) >= 65520 && std::fabs(from_[i]) <= 3.4028235e38f && beyond_ == 0) beyond_ = from_[i];
      converter_(from_, reinterpret_cast<half*>(to_), n);
    } else {
      converter_(from_, reinterpret_cast<bfloat16*>(to_), n);
    }
    from_ += n, to_ += 2 * n;
  }
  /// The first number that f16 rounds to infinity; 0: there is none.
  float beyond() const { return beyond_; }

 private:
  element type_;
  const number_converter& converter_;
  const float* from_;
  std::byte* to_;
  float beyond_ = 0;
};

/// Calls f(columns, rows) for each panel of a packed tensor in the order in which they lie: as many biases as columns,
/// then rows of weights.
template <class F>
TKL_COLD void for_each_panel(const load_view& plan, const packed_tensor& p, const F& f) {
  const load_node& n = plan.loads[p.source];
  const panel_shape shape{plan.panel, plan.width};
  const std::int64_t a = n.extent[0], b = n.extent[1], taps = std::int64_t{n.extent[2]} * n.extent[3];
  const auto matrix = [&](std::int64_t depth, std::int64_t columns) {
    for (std::int64_t first = 0, used = 0; first < columns; first += used) {
      used = panel_columns(columns - first, shape);
      f(round_up(used, shape.width), depth);
    }
  };
  switch (p.kind) {
    case pack_kind::conv2d:
      for (std::int64_t g = 0; g < p.groups; ++g) matrix(taps * b, a / p.groups);
      return;
    case pack_kind::depthwise:
      for (std::int64_t first = 0; first < a; first += plan.width) f(plan.width, taps);
      return;
    case pack_kind::conv_transpose2d:
      for (std::int32_t r = 0; r < p.stride[0]; ++r)
        for (std::int32_t c = 0; c < p.stride[1]; ++c) {
          const std::int64_t rows = taps_of_residue(n.extent[2], p.stride[0], p.dilation[0], r).count;
          const std::int64_t columns = taps_of_residue(n.extent[3], p.stride[1], p.dilation[1], c).count;
          for (std::int64_t g = 0; g < p.groups; ++g) matrix(rows * columns * (a / p.groups), b);
        }
      return;
    case pack_kind::matrix:
      return matrix(a, b);
    case pack_kind::matrix_transposed:
      return matrix(b, a);
    case pack_kind::winograd2:
    case pack_kind::winograd4:
    case pack_kind::plain:
      return;
  }
}

/// The file's tensor that a load node comes from, for messages: its own, or the first that it is computed from.
TKL_COLD inline const char* tensor_of(const load_view& plan, int id) {
  while (plan.loads[id].kind != op_kind::weight && plan.loads[id].in[0] >= 0) id = plan.loads[id].in[0];
  return plan.loads[id].name >= 0 ? plan.names + plan.loads[id].name : "";
}

/// Writes the numbers that a tensor was packed to in f32 to `bytes`, in the tensor's type.
TKL_COLD inline status narrow_tensor(const load_view& plan, const number_converter& converter, const packed_tensor& p,
                                     const level_vector<float>& wide, std::byte* bytes) {
  narrowed_run run(p.type, converter, wide.data(), bytes);
  if (plan.wide_biases && p.kind != pack_kind::plain) {
    for_each_panel(plan, p, [&](std::int64_t columns, std::int64_t rows) {
      run.keep(columns);
      run.narrow(rows * columns);
    });
  } else {
    run.narrow(static_cast<std::int64_t>(wide.size()));
  }
  if (run.beyond() == 0) return {};
  message_text m;
  return status::failure(
      m << "tensor '" << name_text(tensor_of(plan, p.source)).view() << "': weight "
        << static_cast<double>(run.beyond())
        << " (with what is folded into it) is beyond f16, which ends at 65504; bf16 has the range of f32");
}

}  // namespace impl

/// Folds and packs one tensor to `bytes`, which has p.bytes bytes of zeros.
TKL_COLD inline status pack_tensor(const load_view& plan, const load_evaluator& e, const packed_tensor& p,
                                   const number_converter& converter, std::byte* bytes) {
  const impl::level_vector<double> v = e.values(p.source);
  const bool chosen = plan.loads[p.source].type == element::f32 && p.type != element::f32;
  if (p.kind == pack_kind::plain && !chosen) {
    impl::pack_plain(v, p.type, bytes);
    return {};
  }
  if (p.type == element::f32) {
    pack_panels(plan, e, p, v, reinterpret_cast<float*>(bytes));
    return {};
  }
  std::int64_t elements = p.bytes / 2;
  if (plan.wide_biases && p.kind != pack_kind::plain)
    impl::for_each_panel(plan, p, [&](std::int64_t columns, std::int64_t) { elements -= columns; });
  impl::level_vector<float> wide(static_cast<std::size_t>(elements), 0);
  if (p.kind == pack_kind::plain) {
    impl::narrow_all(v, wide.data());
  } else {
    pack_panels(plan, e, p, v, wide.data());
  }
  return impl::narrow_tensor(plan, converter, p, wide, bytes);
}

TKL_ISA_END
}  // namespace tkl
