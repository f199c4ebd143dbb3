// SPDX-License-Identifier: Apache-2.0
// Whole files in and out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/core/status.hpp>
#include <vector>

namespace read_page {

/// All bytes of a file. Fails on one that is missing, not a regular file, or cannot be read.
tkl::result<std::vector<std::uint8_t>> read_file(const std::string& path);

/// Writes a file, replacing one that is there.
tkl::status write_file(const std::string& path, std::string_view content);

}  // namespace read_page
