// SPDX-License-Identifier: Apache-2.0
// The three networks, compiled for every frame. networks.cpp is the one unit that compiles them.
#pragma once

#include <memory>
#include <string>
#include <tkl/core/status.hpp>

#include "frames.hpp"

namespace read_page {

inline constexpr int recogniser_classes = 6625;
inline constexpr int columns_per_step = 8;  // of the recogniser's frame

class networks {
 public:
  /// Loads rec, cls and det.safetensors of a folder and makes the one arena that all networks and frames share.
  static tkl::result<networks> load(const std::string& folder);
  networks(networks&&) noexcept;
  ~networks();

  /// Probability of text at each pixel of the frame, frame.height x frame.width values.
  tkl::result<const float*> detect(const framed& page);
  /// Probability that a line is upside down.
  tkl::result<float> classify(const framed& line);
  /// Probabilities of the classes, frame.width / 8 steps x 6625.
  tkl::result<const float*> recognise(const framed& line);

  /// The instruction-set level that the networks are compiled for: "avx2".
  static const char* level();

 private:
  struct state;
  explicit networks(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

}  // namespace read_page
