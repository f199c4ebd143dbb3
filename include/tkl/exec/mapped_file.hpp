// SPDX-License-Identifier: Apache-2.0
// A file mapped into memory for reading (POSIX mmap): pages are read when touched and shared between processes.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// A path for messages: its last 80 bytes, from the start of a UTF-8 character on.
inline text<96> path_text(std::string_view path) {
  text<96> t;
  if (path.size() <= 80) return t << path;
  path.remove_prefix(path.size() - 80);
  while (!path.empty() && (static_cast<unsigned char>(path[0]) & 0xc0) == 0x80) path.remove_prefix(1);
  return t << "..." << path;
}

/// Owns the mapping. Bytes stay where they are when the object is moved. The file must not be shortened while it is
/// mapped: the operating system answers reads behind the new end with SIGBUS.
class mapped_file {
 public:
  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }

  /// Maps a regular file. Errors name the path and the operating system's reason.
  TKL_COLD static result<mapped_file> open(const char* path) {
    if (path == nullptr) {
      message_text m;
      return status::failure(m << "no path was given");
    }
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return failure(path, "cannot be opened", errno);
    mapped_file mapped;
    struct ::stat facts {};
    status s;
    if (::fstat(file, &facts) != 0) {
      s = failure(path, "its size cannot be read", errno);
    } else if (!S_ISREG(facts.st_mode)) {
      s = failure(path, "is not a regular file", 0);
    } else if (facts.st_size > 0) {
      const auto size = static_cast<std::size_t>(facts.st_size);
      void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (data == MAP_FAILED) {
        s = failure(path, "cannot be mapped", errno);
      } else {
        mapped.data_ = data;
        mapped.size_ = size;
      }
    }
    ::close(file);
    if (!s) return s;
    return result<mapped_file>(std::move(mapped));
  }

  /// Null for an empty file; page aligned otherwise.
  const std::byte* data() const { return static_cast<const std::byte*>(data_); }
  std::size_t size() const { return size_; }

 private:
  static status failure(const char* path, std::string_view what, int reason) {
    message_text m;
    m << path_text(path).view() << ": " << what;
    if (reason != 0) m << " (" << std::string_view(std::generic_category().message(reason)) << ')';
    return status::failure(m);
  }

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

TKL_ISA_END
}  // namespace tkl
