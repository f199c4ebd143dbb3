// SPDX-License-Identifier: Apache-2.0
// Fixed text buffers for messages: built at compile time or run time, never allocating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>

namespace tkl {

/// A text of at most Capacity characters, always terminated. What does not fit is cut, and the last three characters
/// become "..." so that a cut is seen.
template <std::size_t Capacity>
struct text {
  char chars[Capacity + 1]{};
  std::size_t size = 0;

  constexpr text() = default;
  constexpr text(std::string_view s) { *this << s; }  // NOLINT(google-explicit-constructor): texts are values

  TKL_TAGGED constexpr text& operator<<(char c) {
    if (size < Capacity) {
      chars[size++] = c;
    } else if constexpr (Capacity >= 3) {
      for (std::size_t i = Capacity - 3; i < Capacity; ++i) chars[i] = '.';
    }
    return *this;
  }
  TKL_COLD constexpr text& operator<<(std::string_view s) {
    const std::size_t at = size, room = Capacity - at, count = s.size() < room ? s.size() : room;
    const char* const from = s.data();
    for (std::size_t i = 0; i < count; ++i) chars[at + i] = from[i];
    size = at + count;
    if (count < s.size()) *this << '.';  // full: marks the cut
    return *this;
  }
  TKL_TAGGED constexpr text& operator<<(const char* s) { return *this << std::string_view(s, __builtin_strlen(s)); }
  TKL_COLD constexpr text& operator<<(std::int64_t v) {
    char digits[20]{};
    int n = 0;
    std::uint64_t rest = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    do digits[n++] = static_cast<char>('0' + rest % 10);
    while (rest /= 10);
    if (v < 0) *this << '-';
    while (n) *this << digits[--n];
    return *this;
  }
  TKL_TAGGED constexpr text& operator<<(int v) { return *this << static_cast<std::int64_t>(v); }
  TKL_TAGGED constexpr text& operator<<(std::size_t v) { return *this << static_cast<std::int64_t>(v); }

  constexpr std::string_view view() const { return {chars, size}; }
  constexpr const char* c_str() const { return chars; }
  constexpr bool empty() const { return size == 0; }
};

/// Text as a template argument, exactly as long as it is: the form in which a compile-time message is shown.
template <std::size_t N>
struct fixed_text {
  char chars[N]{};
  constexpr fixed_text() = default;
  constexpr fixed_text(const char (&s)[N]) {  // NOLINT(google-explicit-constructor): written as a literal
    for (std::size_t i = 0; i < N; ++i) chars[i] = s[i];
  }
  constexpr std::string_view view() const { return {chars, N - 1}; }
};

}  // namespace tkl
