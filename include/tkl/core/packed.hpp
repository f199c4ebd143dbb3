// SPDX-License-Identifier: Apache-2.0
// Packed weights: panels in the order in which a kernel reads them (algo/pack.hpp), with what they were made from.
#pragma once

#include <cstdint>
#include <memory>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/tensor.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

/// What weights were packed for.
enum class packed_kind : std::uint8_t { conv2d, conv_transpose2d, linear, matrix };

/// Columns of a panel, and of one vector: they depend on the architecture and on the schedule, so both are part of the
/// type of packed weights, and a mismatch is a compile error.
struct packed_panels {
  int panel = 16;
  int width = 8;
  constexpr bool operator==(const packed_panels&) const = default;
};

/// Packed weights that somebody else owns. L: layout of the weights before packing; P: the parameters that packing
/// depends on (fixed_params or given_params of op/operand.hpp).
template <packed_kind Kind, layout L, class P, packed_panels Panels>
struct packed_view {
  using layout_type = L;
  using params_type = P;
  static constexpr packed_kind kind = Kind;
  static constexpr packed_panels panels = Panels;
  const float* data = nullptr;
  std::int64_t elements = 0;
  L layout{};
  P params{};
};

/// Packed weights that own their memory, at a 64-byte boundary.
template <packed_kind Kind, layout L, class P, packed_panels Panels>
class packed {
 public:
  using view_type = packed_view<Kind, L, P, Panels>;
  static constexpr packed_kind kind = Kind;
  static constexpr packed_panels panels = Panels;

  /// Zeroed memory for `elements` elements, or what is wrong.
  TKL_FN static result<packed> allocate(std::int64_t elements, const L& layout, const P& params) {
    auto memory = tensor<float, row_major<dyn>>::allocate(row_major<dyn>(elements));
    if (!memory) return memory.error();
    packed p;
    p.memory_ = std::move(*memory);
    p.view_.data = p.memory_.data();
    p.view_.elements = elements;
    p.view_.layout = layout;
    p.view_.params = params;
    return p;
  }
  float* data() { return memory_.data(); }
  const view_type& view() const { return view_; }
  std::int64_t elements() const { return view_.elements; }
  std::int64_t bytes() const { return view_.elements * std::int64_t{sizeof(float)}; }

 private:
  packed() = default;
  tensor<float, row_major<dyn>> memory_{row_major<dyn>(0)};
  view_type view_{};
};

template <class W>
inline constexpr bool is_packed_view = false;
template <packed_kind Kind, class L, class P, packed_panels Panels>
inline constexpr bool is_packed_view<packed_view<Kind, L, P, Panels>> = true;
template <class W>
inline constexpr bool is_packed = false;
template <packed_kind Kind, class L, class P, packed_panels Panels>
inline constexpr bool is_packed<packed<Kind, L, P, Panels>> = true;

/// Packed weights of a kind, owned or not.
template <class W, packed_kind Kind>
concept packed_source = (is_packed<std::remove_cvref_t<W>> ||
                         is_packed_view<std::remove_cvref_t<W>>)&&std::remove_cvref_t<W>::kind
                        == Kind;

}  // namespace tkl
