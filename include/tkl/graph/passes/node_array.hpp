// SPDX-License-Identifier: Apache-2.0
// One value per node of a graph. A std::vector would do, but costs several times the steps of constant evaluation, in
// its making and at each access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tkl {

template <class T>
struct node_array {
  constexpr explicit node_array(std::size_t count) : values_(new T[count]{}) {}
  constexpr node_array(node_array&& other) noexcept : values_(std::exchange(other.values_, nullptr)) {}
  node_array(const node_array&) = delete;
  node_array& operator=(const node_array&) = delete;
  constexpr ~node_array() { delete[] values_; }

  constexpr T& operator[](std::int32_t id) { return values_[id]; }
  constexpr const T& operator[](std::int32_t id) const { return values_[id]; }

 private:
  T* values_;
};

}  // namespace tkl
