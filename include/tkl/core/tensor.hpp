// SPDX-License-Identifier: Apache-2.0
// tensor: elements with a layout that own their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/view.hpp>

namespace tkl {

inline constexpr std::int64_t tensor_alignment = 64;

namespace detail {

struct free_elements {
  void operator()(void* p) const { std::free(p); }
};

/// Zeroed memory at a 64-byte boundary, null when there is none.
TKL_FN void* allocate_elements(std::int64_t bytes) {
  const auto rounded = static_cast<std::size_t>(round_up(bytes, tensor_alignment));
  void* p = std::aligned_alloc(static_cast<std::size_t>(tensor_alignment), rounded);
  if (p != nullptr) std::memset(p, 0, rounded);
  return p;
}

}  // namespace detail

/// Elements of type T laid out by L, on the heap at a 64-byte boundary, zero at first. It can be moved, not copied.
///   tensor<float, nhwc<1, 56, 56, 64>> x;
///   auto y = tensor<float, nhwc<dyn, dyn, dyn, 64>>::allocate({n, h, w, 64});   // result<tensor>
/// A tensor that got no memory has a null data(): allocate() says why, and assign() refuses it.
template <class T, layout L>
class tensor {
 public:
  using element_type = T;
  using layout_type = L;
  static constexpr element type = element_of<T>;
  static constexpr int rank = L::rank;
  static constexpr bool is_static = L::is_static;

  TKL_FN tensor() requires L::is_static { take_memory(); }
  TKL_FN explicit tensor(const L& layout) : layout_(layout) { take_memory(); }
  /// A tensor, or what is wrong: extents that the layout's type does not allow, or too little memory.
  TKL_FN static result<tensor> allocate(const L& layout) {
    tensor t(layout);
    message_text m;
    const tkl::shape s = layout.shape();
    if (!layout.agrees()) return status::failure(m << "tensor: extents " << s << ", the type declares " << L::declared);
    const checked bytes = bytes_of(s);
    if (!bytes.valid) return status::failure(m << "tensor: extents " << s << " are negative or leave 64 bits");
    if (bytes.value > 0 && !t.memory_) return status::failure(m << "tensor: no memory for " << bytes.value << " bytes");
    return t;
  }
  TKL_FN static result<tensor> allocate() requires L::is_static { return allocate(L()); }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  constexpr const L& layout() const { return layout_; }
  constexpr tkl::shape shape() const { return layout_.shape(); }
  constexpr axis_steps steps() const { return layout_.steps(); }
  std::int64_t size() const { return view<const T, L>(data(), layout_).size(); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  /// The element at one index per axis, in logical order, unchecked.
  template <class... Index>
  T& operator()(Index... index) {
    return view<T, L>(data(), layout_)(index...);
  }
  template <class... Index>
  const T& operator()(Index... index) const {
    return view<const T, L>(data(), layout_)(index...);
  }

 private:
  L layout_{};
  std::unique_ptr<T[], detail::free_elements> memory_{};

  static constexpr checked bytes_of(const tkl::shape& s) {
    checked bytes = s.elements() * static_cast<std::int64_t>(sizeof(T));
    bytes.valid = bytes.valid && (bytes + tensor_alignment).valid;
    return bytes;
  }
  TKL_FN void take_memory() {
    const checked bytes = bytes_of(layout_.shape());
    if (layout_.agrees() && bytes.valid && bytes.value > 0)
      memory_.reset(static_cast<T*>(detail::allocate_elements(bytes.value)));
  }
};

template <class T, class L>
view(tensor<T, L>&) -> view<T, L>;
template <class T, class L>
view(const tensor<T, L>&) -> view<const T, L>;

}  // namespace tkl
