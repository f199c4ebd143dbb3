// SPDX-License-Identifier: Apache-2.0
// Run-time errors as values: nothing throws, nothing allocates to report.
#pragma once

#include <new>
#include <tkl/config.hpp>
#include <tkl/core/text.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

/// Text of a run-time message; long enough for two names and two shapes.
using message_text = text<240>;

/// Success, or one message that names what is wrong and both values. Converts to true when good.
class [[nodiscard]] status {
 public:
  constexpr status() = default;
  /// A failure with its message, which must not be empty.
  TKL_TAGGED static constexpr status failure(const message_text& message) {
    status s;
    s.message_ = message;
    s.good_ = false;
    return s;
  }
  constexpr explicit operator bool() const { return good_; }
  constexpr bool ok() const { return good_; }
  /// The message, empty when good.
  constexpr const char* message() const { return message_.c_str(); }
  constexpr const message_text& text() const { return message_; }

 private:
  message_text message_{};
  bool good_ = true;
};

/// A value or a status that says why there is none. Reading the value of a failed result is undefined: test first.
template <class T>
class [[nodiscard]] result {
 public:
  TKL_TAGGED result(T value) : good_(true) { ::new (static_cast<void*>(&value_)) T(std::move(value)); }  // NOLINT
  TKL_TAGGED result(status error) : error_(error), good_(false) {}                                       // NOLINT
  TKL_TAGGED result(result&& other) noexcept : error_(other.error_), good_(other.good_) {
    if (good_) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
  }
  TKL_TAGGED result& operator=(result&& other) noexcept {
    if (this != &other) {
      if (good_) value_.~T();
      error_ = other.error_;
      good_ = other.good_;
      if (good_) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    }
    return *this;
  }
  result(const result&) = delete;
  result& operator=(const result&) = delete;
  TKL_TAGGED ~result() {
    if (good_) value_.~T();
  }

  explicit operator bool() const { return good_; }
  bool ok() const { return good_; }
  const status& error() const { return error_; }
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return std::move(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  status error_{};
  union {
    T value_;
  };
  bool good_;
};

}  // namespace tkl
