// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace read_page {

/// The whole run as one JSON object: `level`, `pictures` (each with its `lines`), `networks` (milliseconds and
/// percent).
std::string to_json(const std::vector<page_result>& pages, const char* level, const network_times& times);

}  // namespace read_page
