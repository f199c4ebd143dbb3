// SPDX-License-Identifier: Apache-2.0
// A vector and a string whose code belongs to one instruction set.
//
// The functions of std::vector<double> are weak symbols that every object of a program shares; compiled for a newer
// instruction set they would end programs on an older CPU. The allocator carries the ISA namespace into their names.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <tkl/config.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

template <class T>
struct level_allocator {
  using value_type = T;
  level_allocator() = default;
  template <class U>
  constexpr level_allocator(const level_allocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  template <class U>
  constexpr bool operator==(const level_allocator<U>&) const {
    return true;
  }
};

template <class T>
using level_vector = std::vector<T, level_allocator<T>>;
using level_string = std::basic_string<char, std::char_traits<char>, level_allocator<char>>;

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
