// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace read_page {

/// Whether a JPEG file reaches its end-of-image marker: walks the segments (ITU-T T.81, annex B) and, inside the
/// compressed data, from marker to marker. A thumbnail inside a segment is skipped with it.
bool jpeg_has_end(const std::vector<std::uint8_t>& file);

}  // namespace read_page
