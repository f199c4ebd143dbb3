// SPDX-License-Identifier: Apache-2.0
// One value per node of a graph. A std::vector would do, but costs several times the steps of constant evaluation, in
// its making and at each access. For most graphs the values are one object, copied from a constant at
// once; the members of an array of computed length are initialised one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tkl {

namespace detail {
template <class T, std::size_t Count>
struct node_room {
  T values[Count]{};
};
template <class T, std::size_t Count>
inline constexpr node_room<T, Count> fresh_room{};
}  // namespace detail

template <class T>
struct node_array {
  /// Nodes for which there is room in one object.
  static constexpr std::size_t usual_nodes = 512;

  constexpr explicit node_array(std::size_t count)
      : usual_(count <= usual_nodes ? new usual_room(detail::fresh_room<T, usual_nodes>) : nullptr),
        values_(usual_ != nullptr ? usual_->values : new T[count]{}) {}
  constexpr node_array(node_array&& other) noexcept
      : usual_(std::exchange(other.usual_, nullptr)), values_(std::exchange(other.values_, nullptr)) {}
  node_array(const node_array&) = delete;
  node_array& operator=(const node_array&) = delete;
  constexpr ~node_array() {
    if (usual_ != nullptr) {
      delete usual_;
    } else {
      delete[] values_;
    }
  }

  constexpr T& operator[](std::int32_t id) { return values_[id]; }
  constexpr const T& operator[](std::int32_t id) const { return values_[id]; }

 private:
  using usual_room = detail::node_room<T, usual_nodes>;
  usual_room* usual_;
  T* values_;
};

}  // namespace tkl
