// SPDX-License-Identifier: Apache-2.0
// Reading pages and lines with the three networks.
#pragma once

#include "ctc.hpp"
#include "networks.hpp"
#include "results.hpp"

namespace read_page {

inline constexpr float turned_above = 0.9F;    // probability beyond which the classifier's word is taken
inline constexpr double doubtful_below = 0.7;  // confidence below which a line is read the other way up as well

class page_reader {
 public:
  page_reader(networks&& nets, alphabet&& letters) : networks_(std::move(nets)), letters_(std::move(letters)) {}

  /// Finds the lines of a page and reads each.
  tkl::result<page_result> page(const picture& p, const std::string& file);
  /// Takes the whole picture as one line.
  tkl::result<page_result> line(const picture& p, const std::string& file);

  /// Time in the networks so far.
  const network_times& times() const { return times_; }

 private:
  struct attempt {
    transcript read{};
    bool reduced = false;
  };
  tkl::result<line_result> read(const picture_view& line, const box& where);
  tkl::result<attempt> recognise(const picture_view& line);

  networks networks_;
  alphabet letters_;
  network_times times_{};
};

}  // namespace read_page
