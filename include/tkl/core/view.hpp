// SPDX-License-Identifier: Apache-2.0
// view: a tensor in memory that somebody else owns.
#pragma once

#include <concepts>
#include <cstdint>
#include <tkl/core/element.hpp>
#include <tkl/core/layout.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

/// Elements of type T (f32, f16, bf16, i8, u8, i32, or one of them const) at `data`, laid out by L. The memory must
/// outlive the view and everything made of it.
///   view<float, nhwc<1, 56, 56, 64>> x(pointer);    view y(pointer, nhwc(1, h, w, 64));
template <class T, layout L>
class view {
 public:
  using element_type = T;
  using layout_type = L;
  static constexpr element type = element_of<std::remove_const_t<T>>;
  static constexpr int rank = L::rank;
  static constexpr bool is_static = L::is_static;

  constexpr view() = default;
  constexpr explicit view(T* data) requires L::is_static : data_(data) {}
  constexpr view(T* data, const L& layout) : data_(data), layout_(layout) {}
  /// All elements of a tensor.
  template <class S>
  requires std::same_as<typename S::layout_type, L> && std::convertible_to<decltype(std::declval<S&>().data()), T*>
  constexpr explicit view(S& tensor) : data_(tensor.data()), layout_(tensor.layout()) {}
  /// A view of the same elements that only reads.
  constexpr operator view<const T, L>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data_, layout_};
  }

  constexpr T* data() const { return data_; }
  constexpr const L& layout() const { return layout_; }
  constexpr tkl::shape shape() const { return layout_.shape(); }
  constexpr axis_steps steps() const { return layout_.steps(); }
  /// Number of elements; 0 when the extents' product leaves 64 bits.
  constexpr std::int64_t size() const {
    const checked n = shape().elements();
    return n.valid ? n.value : 0;
  }
  /// The element at one index per axis, in logical order, unchecked.
  template <class... Index>
  requires(sizeof...(Index) == L::rank) constexpr T& operator()(Index... index) const {
    [[maybe_unused]] const axis_steps s = steps();
    std::int64_t at = 0;
    [[maybe_unused]] int axis = 0;
    ((at += static_cast<std::int64_t>(index) * s[axis++]), ...);
    return data_[at];
  }

 private:
  T* data_ = nullptr;
  L layout_{};
};

}  // namespace tkl
