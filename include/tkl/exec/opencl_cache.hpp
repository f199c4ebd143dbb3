// SPDX-License-Identifier: Apache-2.0
// Binaries of built programs in a directory of the caller's, so that the next start of a program builds nothing.
//
// A file holds what it is for, in full: device, driver and build options; the source; then the binary, and a checksum
// of all of it. Its name is their hash. A file that is damaged or that is for something else is not used but written
// anew, by way of a temporary name: a reader never sees half a file, and of several writers the last one stays. Nothing
// of this fails a build; what happened is counted.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/mapped_file.hpp>
#include <utility>
#include <vector>

namespace tkl {

/// What became of programs since the context was made. All stay 0 without a directory.
struct opencl_cache_counts {
  int found = 0;      // taken from a file
  int absent = 0;     // no file, or none that can be read
  int damaged = 0;    // a file whose sizes or checksum are wrong
  int foreign = 0;    // a whole file for another device, driver, source or options
  int refused = 0;    // the device did not take the binary
  int written = 0;    // files
  int unwritten = 0;  // the file could not be written, or the device gave no binary
  constexpr bool operator==(const opencl_cache_counts&) const = default;
};

struct opencl_cache_header {
  char magic[8]{'t', 'k', 'l', ' ', 'c', 'l', 'p', '\n'};
  std::uint32_t version = 1;
  std::uint32_t header_bytes = 64;
  std::uint64_t identity_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::uint64_t binary_bytes = 0;
  std::uint64_t checksum = 0;  // FNV-1a of the file with zero in this place
  std::uint64_t unused[2]{};
};
static_assert(sizeof(opencl_cache_header) == 64);

TKL_ISA_BEGIN

class opencl_cache {
 public:
  opencl_cache() = default;
  /// `identity`: everything but the source on which a binary depends. An empty directory: no cache.
  opencl_cache(std::string directory, std::string identity)
      : directory_(std::move(directory)), identity_(std::move(identity)) {}

  bool enabled() const { return !directory_.empty(); }
  const opencl_cache_counts& counts() const { return counts_; }
  /// Why the last file was not used or written, with its path; a success where all went well.
  const status& last() const { return last_; }
  /// The file of a source.
  TKL_COLD std::string path(std::string_view source) const {
    std::uint64_t h = hash(start, identity_.data(), identity_.size());
    h = hash(h, source.data(), source.size());
    char name[40];
    std::snprintf(name, sizeof name, "/%016llx.tklcl", static_cast<unsigned long long>(h));
    return directory_ + name;
  }

  /// The binary of a source, empty where there is none to be used.
  TKL_COLD std::vector<unsigned char> find(std::string_view source) {
    if (!enabled()) return {};
    const std::string name = path(source);
    const result<mapped_file> file = mapped_file::open(name.c_str());
    if (!file) {
      ++counts_.absent;
      if (::access(name.c_str(), F_OK) == 0) last_ = file.error();
      return {};
    }
    opencl_cache_header h;
    if (!whole(*file, h)) {
      ++counts_.damaged;
      note(name, "is damaged");
      return {};
    }
    const char* at = reinterpret_cast<const char*>(file->data()) + sizeof h;
    const std::string_view identity(at, h.identity_bytes), own_source(at + h.identity_bytes, h.source_bytes);
    if (identity != identity_ || own_source != source) {
      ++counts_.foreign;
      note(name, "is for another device, driver, source or options");
      return {};
    }
    const char* binary = own_source.data() + own_source.size();
    return {binary, binary + h.binary_bytes};
  }
  /// Whether the device took the binary that find() gave.
  TKL_COLD void taken(std::string_view source, bool good) {
    ++(good ? counts_.found : counts_.refused);
    if (!good) note(path(source), "holds a binary that the device does not take");
  }

  TKL_COLD void store(std::string_view source, const std::vector<unsigned char>& binary) {
    if (!enabled()) return;
    const std::string name = path(source);
    if (binary.empty()) {
      ++counts_.unwritten;
      return note(name, "is not written, the device gives no binary");
    }
    opencl_cache_header h;
    h.identity_bytes = identity_.size(), h.source_bytes = source.size(), h.binary_bytes = binary.size();
    std::vector<char> bytes(sizeof h + identity_.size() + source.size() + binary.size(), '\0');
    char* at = bytes.data() + sizeof h;
    std::memcpy(at, identity_.data(), identity_.size());
    std::memcpy(at += identity_.size(), source.data(), source.size());
    std::memcpy(at += source.size(), binary.data(), binary.size());
    std::memcpy(bytes.data(), &h, sizeof h);
    h.checksum = hash(start, bytes.data(), bytes.size());
    std::memcpy(bytes.data(), &h, sizeof h);
    ++(write(name, bytes) ? counts_.written : counts_.unwritten);
  }

 private:
  static constexpr std::uint64_t start = 1469598103934665603ull;
  static std::uint64_t hash(std::uint64_t h, const char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) h = (h ^ static_cast<unsigned char>(bytes[i])) * 1099511628211ull;
    return h;
  }

  TKL_COLD static bool whole(const mapped_file& file, opencl_cache_header& h) {
    if (file.size() < sizeof h) return false;
    const opencl_cache_header own;
    std::memcpy(&h, file.data(), sizeof h);
    std::uint64_t rest = file.size() - sizeof h;
    for (const std::uint64_t part : {h.identity_bytes, h.source_bytes, h.binary_bytes}) {
      if (part > rest) return false;
      rest -= part;
    }
    if (rest != 0 || std::memcmp(h.magic, own.magic, sizeof h.magic) != 0 || h.version != own.version ||
        h.header_bytes != own.header_bytes)
      return false;
    opencl_cache_header zero = h;
    zero.checksum = 0;
    const std::uint64_t sum = hash(start, reinterpret_cast<const char*>(&zero), sizeof zero);
    return hash(sum, reinterpret_cast<const char*>(file.data()) + sizeof h, file.size() - sizeof h) == h.checksum;
  }

  TKL_COLD bool write(const std::string& name, const std::vector<char>& bytes) {
    std::string temporary = name + ".XXXXXX";
    const int file = ::mkstemp(temporary.data());
    if (file < 0) return note(name, "cannot be written", errno), false;
    std::FILE* f = ::fdopen(file, "wb");
    bool good = f != nullptr && std::fwrite(bytes.data(), bytes.size(), 1, f) == 1;
    if (f == nullptr) ::close(file);
    if (f != nullptr) good = std::fclose(f) == 0 && good;
    good = good && std::rename(temporary.c_str(), name.c_str()) == 0;
    if (good) return true;
    note(name, "cannot be written", errno);
    std::remove(temporary.c_str());
    return false;
  }

  TKL_COLD void note(const std::string& name, std::string_view what, int reason = 0) {
    message_text m;
    m << path_text(name).view() << ' ' << what;
    if (reason != 0) m << " (" << std::string_view(std::generic_category().message(reason)) << ')';
    last_ = status::failure(m);
  }

  std::string directory_{}, identity_{};
  opencl_cache_counts counts_{};
  status last_{};
};

TKL_ISA_END
}  // namespace tkl
