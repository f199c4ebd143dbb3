// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "output_html.hpp"

namespace read_page {

/// Of the recogniser and the detector, each at its smallest frame: the fused graph, and the arena over time.
std::vector<drawing> drawings();

}  // namespace read_page
