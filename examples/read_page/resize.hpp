// SPDX-License-Identifier: Apache-2.0
// Scaling a picture and placing it in the frame that a network takes.
#pragma once

#include <cstdint>

#include "picture.hpp"

namespace read_page {

/// Bilinear interpolation with half-pixel centres and no antialias, rounded to the nearest byte (halves up). `to` holds
/// size.height rows of `stride` bytes. Fixed-point with 15-bit weights: every compiler gives the same bytes.
void resize(const picture_view& from, std::uint8_t* to, extent size, std::ptrdiff_t stride);

/// Size of a picture inside a frame: its own where it fits, else the largest of its ratio that does.
extent scaled_size(extent picture, extent frame);

/// Continues the last column and row of the upper left `used` part over the rest of a frame of packed rows.
void extend_edges(std::uint8_t* rgb, extent used, extent frame);

}  // namespace read_page
