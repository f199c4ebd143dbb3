// SPDX-License-Identifier: Apache-2.0
// RapidJSON's SAX reader, with a stack of our own. It recurses, in three fifths of the code of the iterative one:
// whoever receives its events must refuse what opens more levels than input may drive it down.
#pragma once

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstddef>
#include <tkl/config.hpp>
#include <tkl/exec/level_vector.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Names the reader's stack below, in a namespace whose code is not shared between instruction sets.
struct json_allocator : rapidjson::CrtAllocator {};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl

RAPIDJSON_NAMESPACE_BEGIN
namespace internal {

/// The reader's stack, with the four operations that it uses. The original adds an offset to a null pointer at its
/// first use and does not check what realloc returns.
template <>
class Stack<tkl::impl::json_allocator> {
 public:
  Stack(tkl::impl::json_allocator*, std::size_t capacity) : bytes_(capacity) {}
  void Clear() { top_ = 0; }
  template <class T>
  T* Push(std::size_t count = 1) {
    const std::size_t size = count * sizeof(T);
    if (bytes_.size() - top_ < size) grow(size);
    top_ += size;
    return reinterpret_cast<T*>(bytes_.data() + (top_ - size));
  }
  template <class T>
  T* Pop(std::size_t count) {
    top_ -= count * sizeof(T);
    return reinterpret_cast<T*>(bytes_.data() + top_);
  }
  template <class T>
  T* Top() {
    return reinterpret_cast<T*>(bytes_.data() + (top_ - sizeof(T)));
  }

 private:
  TKL_COLD void grow(std::size_t size) { bytes_.resize(2 * bytes_.size() + size); }

  tkl::impl::level_vector<char> bytes_;
  std::size_t top_ = 0;
};

}  // namespace internal
RAPIDJSON_NAMESPACE_END

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

using json_reader = rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, json_allocator>;

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
