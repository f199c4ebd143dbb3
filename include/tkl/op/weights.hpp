// SPDX-License-Identifier: Apache-2.0
// Weights of a contraction as an argument: a tensor as the framework wrote it, or packed panels.
#pragma once

#include <tkl/core/packed.hpp>
#include <tkl/op/operand.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

namespace detail {

/// Weights of an op: a tensor as the framework wrote it, or packed panels.
template <class W>
constexpr auto as_weights(W&& w) {
  if constexpr (operand_source<W>) {
    return as_operand(std::forward<W>(w));
  } else {
    static_assert(std::is_lvalue_reference_v<W> || is_packed_view<std::remove_cvref_t<W>>,
                  "temporary packed weights are gone before the expression is evaluated: give them a name");
    if constexpr (is_packed_view<std::remove_cvref_t<W>>) {
      return w;
    } else {
      return w.view();
    }
  }
}

/// Packed weights as they were before packing, for shape rules.
template <class W>
constexpr auto locate_weights(const W& w) {
  if constexpr (operand<W>) {
    return locate(w);
  } else {
    located<const float> l{w.data, 0, w.layout.shape(), {}, {}};
    return l;
  }
}

template <class W>
inline constexpr bool static_weights = [] {
  if constexpr (operand<W>) {
    return W::is_static;
  } else {
    return W::layout_type::is_static && W::params_type::is_static;
  }
}();

}  // namespace detail

}  // namespace tkl
