// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results.hpp"

namespace read_page {

/// One line of output per line of text: text, tab, confidence, tab, box x0 y0 x1 y1, tab, milliseconds.
std::string to_text(const page_result& page);

/// What a reader must know beside the text: pictures and lines that were made smaller to fit a network.
std::string notes(const page_result& page);

/// The level that the program was compiled for, and the share of the time of each network.
std::string summary(const char* level, const network_times& times);

}  // namespace read_page
