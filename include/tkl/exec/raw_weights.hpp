// SPDX-License-Identifier: Apache-2.0
// Weights as a framework wrote them: what packing checks before it reads them.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/arch/native.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/checks.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/weights.hpp>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// No bias.
struct no_bias {};

template <class T>
const T* bias_data(no_bias) {
  return nullptr;
}
template <class T, class L>
const T* bias_data(const view<const T, L>& b) {
  return b.data();
}

/// Checks raw weights and their bias of `channels` values.
template <class T, class L, class B>
status check_raw(std::string_view op, const view<const T, L>& w, const B& bias, std::int64_t channels) {
  static_assert(std::is_same_v<T, float>, "weights to pack are f32: assign others to such a tensor first");
  message_text m;
  const auto l = locate(w);
  complaint c = l.error;
  if (c.empty()) c = tkl::detail::need_contiguous("the weight", l.extents, l.steps);
  if (!c.empty()) return status::failure(m << op << ": " << c.view());
  if (status s = check_buffer(op, "the weight", place_of(l), alignof(T)); !s) return s;
  if constexpr (!std::is_same_v<B, no_bias>) {
    const auto b = locate(bias);
    c = b.error;
    if (c.empty()) c = need_vector("bias", b.extents, channels, "output channels");
    if (c.empty()) c = tkl::detail::need_contiguous("bias", b.extents, b.steps);
    if (!c.empty()) return status::failure(m << op << ": " << c.view());
    return check_buffer(op, "the bias", place_of(b), alignof(T));
  }
  return {};
}

/// A tensor or view of weights, read only.
template <class W>
auto raw_weights(const W& w) {
  const auto v = as_operand(w);
  static_assert(
      !requires { v.source; }, "weights are a tensor or a plain view: copy a slice or permutation first");
  return view<const element_of_operand<decltype(v)>, typename decltype(v)::layout_type>(v.data(), v.layout());
}

template <class Arch, int Nr>
inline constexpr packed_panels panels_for{Nr * Arch::width_f32, Arch::width_f32};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
