// SPDX-License-Identifier: Apache-2.0
// Packing the second operand of matrix products once, so that assign() reads it where it lies.
//
//   auto w = pack_linear(raw, bias);            out x in, for linear; the sums start with the bias
//   auto b = pack_matrix<arch::avx2>(raw);      in x out, for matmul and gemm; another architecture
//
// Of a schedule only nr matters. Raw weights are f32, row-major without gaps; panels are f32.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/pack.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/raw_weights.hpp>
#include <tkl/op/matmul_expression.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <packed_kind Kind, packed_panels Panels, class T, class L, class B>
result<packed<Kind, L, fixed_params<matmul_params{}>, Panels>> pack_product(std::string_view op,
                                                                            const view<const T, L>& w, const B& bias) {
  const shape s = w.shape();
  message_text m;
  if (s.rank != 2)
    return status::failure(m << op << ": weight has shape " << s << " with " << s.rank << " axes, needs 2");
  const std::int64_t depth = Kind == packed_kind::linear ? s[1] : s[0],
                     columns = Kind == packed_kind::linear ? s[0] : s[1];
  if (status good = check_raw(op, w, bias, columns); !good) return good;
  auto made = packed<Kind, L, fixed_params<matmul_params{}>, Panels>::allocate(
      packed_matrix_elements(depth, columns, Panels.width), w.layout(), {});
  if (made)
    pack_matrix(w.data(), Kind == packed_kind::linear ? 1 : columns, Kind == packed_kind::linear ? depth : 1, depth,
                columns, static_cast<const T*>(nullptr), bias_data<T>(bias), panel_shape{Panels.panel, Panels.width},
                made->data());
  return made;
}

}  // namespace impl

/// A weight out x in, for linear.
template <class Arch = arch::native, gemm_schedule S = Arch::gemm, operand_source W>
auto pack_linear(const W& w) {
  return impl::pack_product<packed_kind::linear, impl::panels_for<Arch, S.nr>>("pack_linear", impl::raw_weights(w),
                                                                               impl::no_bias{});
}
template <class Arch = arch::native, gemm_schedule S = Arch::gemm, operand_source W, operand_source B>
auto pack_linear(const W& w, const B& bias) {
  return impl::pack_product<packed_kind::linear, impl::panels_for<Arch, S.nr>>("pack_linear", impl::raw_weights(w),
                                                                               impl::raw_weights(bias));
}

/// A second operand in x out, for matmul and gemm.
template <class Arch = arch::native, gemm_schedule S = Arch::gemm, operand_source W>
auto pack_matrix(const W& w) {
  return impl::pack_product<packed_kind::matrix, impl::panels_for<Arch, S.nr>>("pack_matrix", impl::raw_weights(w),
                                                                               impl::no_bias{});
}
template <class Arch = arch::native, gemm_schedule S = Arch::gemm, operand_source W, operand_source B>
auto pack_matrix(const W& w, const B& bias) {
  return impl::pack_product<packed_kind::matrix, impl::panels_for<Arch, S.nr>>("pack_matrix", impl::raw_weights(w),
                                                                               impl::raw_weights(bias));
}

TKL_ISA_END
}  // namespace tkl
