// SPDX-License-Identifier: Apache-2.0
// Names, one after another, each terminated by zero, found by their offset. A std::vector<char> would do, but takes
// some 280 evaluation steps per character in the compiler; this takes about 50. The names of most models lie in one
// object, which is copied as a whole, without a turn of a loop for each character.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tkl {

struct name_pool {
  /// Bytes of names for which there is room without a block of their own.
  static constexpr std::size_t usual_bytes = 8192;
  using usual_room = std::array<char, usual_bytes>;

  constexpr name_pool() = default;
  constexpr name_pool(const name_pool& other) {
    if (other.usual_ != nullptr) {
      use_usual_room();
      *usual_ = *other.usual_;
      size_ = other.size_;
    } else {
      append(other.chars_, other.size_);
    }
  }
  constexpr name_pool(name_pool&& other) noexcept
      : usual_(std::exchange(other.usual_, nullptr)),
        chars_(std::exchange(other.chars_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  constexpr name_pool& operator=(name_pool other) noexcept {
    std::swap(usual_, other.usual_);
    std::swap(chars_, other.chars_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  constexpr ~name_pool() { release(usual_, chars_); }

  /// Adds a name; returns its offset.
  constexpr std::int32_t add(std::string_view name) {
    const auto at = static_cast<std::int32_t>(size_);
    append(name.data(), name.size());
    const char end = '\0';
    append(&end, 1);
    return at;
  }

  /// The name at an offset; none for a negative one.
  constexpr std::string_view at(std::int32_t offset) const {
    return offset < 0 ? std::string_view{} : std::string_view(chars_ + offset);
  }

  constexpr const char* data() const { return chars_; }
  constexpr std::size_t size() const { return size_; }
  constexpr char operator[](std::size_t i) const { return chars_[i]; }
  /// All names and zeros behind them, where they fit that room; else null.
  constexpr const usual_room* usual() const { return usual_; }

 private:
  constexpr void append(const char* from, std::size_t count) {
    usual_room* const old_usual = usual_;
    char* const old = chars_;
    const bool grows = size_ + count > room_;
    if (grows) grow(size_ + count);
    char* const to = chars_ + size_;
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    size_ += count;
    if (grows) release(old_usual, old);  // only now: the new name may lie in it
  }
  constexpr void use_usual_room() {
    room_ = usual_bytes;
    usual_ = new usual_room{};
    chars_ = usual_->data();
  }
  /// Moves to a larger block; the caller frees the old one.
  constexpr void grow(std::size_t least) {
    if (least <= usual_bytes) return use_usual_room();
    room_ = 2 * least;
    char* const wider = new char[room_];
    for (std::size_t i = 0; i < size_; ++i) wider[i] = chars_[i];
    chars_ = wider;
    usual_ = nullptr;
  }
  /// Frees what is there: the usual room, or a block of its own.
  static constexpr void release(usual_room* usual, char* chars) {
    if (usual != nullptr) {
      delete usual;
    } else {
      delete[] chars;
    }
  }

  usual_room* usual_ = nullptr;  // where chars_ lies in it
  char* chars_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

}  // namespace tkl
