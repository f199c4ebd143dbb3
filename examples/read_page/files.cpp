// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace read_page {
namespace {

tkl::status failure(const char* what, const std::string& path, const char* why) {
  tkl::message_text m;
  m << what << " '" << path << "': " << why;
  return tkl::status::failure(m);
}

}  // namespace

tkl::result<std::vector<std::uint8_t>> read_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status kind = std::filesystem::status(path, error);
  if (!std::filesystem::exists(kind))
    return failure("cannot read", path, error ? error.message().c_str() : "no such file");
  if (!std::filesystem::is_regular_file(kind)) return failure("cannot read", path, "not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return failure("cannot read", path, std::strerror(errno));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  if (size != 0 && !file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return failure("cannot read", path, "it ends early");
  return bytes;
}

tkl::status write_file(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  return file ? tkl::status{} : failure("cannot write", path, std::strerror(errno));
}

}  // namespace read_page
