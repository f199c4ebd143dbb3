// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace read_page {

struct options {
  std::string weights{};                // folder
  std::string json{};                   // file; empty: none
  std::string html{};                   // file; empty: none
  bool lines = false;                   // each picture is one line of text
  std::vector<std::string> pictures{};  // none: page.png of the weights folder
};

/// Parses the command line; what it does not give keeps the value that `out` has. Returns false when the program has to
/// end with `exit_status`: help was asked for, or a message has been printed.
bool parse(int argc, char** argv, options& out, int& exit_status);

}  // namespace read_page
