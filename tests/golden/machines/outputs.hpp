// SPDX-License-Identifier: Apache-2.0
// The recogniser's output for one golden file, from each machine of this program; each is a unit of its own.
#pragma once

#include <string>
#include <vector>

namespace machines {

struct output {
  std::string error{};
  std::vector<float> values{};
};
/// `path`: a golden file of width 320.
output base(const std::string& weights, const std::string& path);
output best(const std::string& weights, const std::string& path);
output device(const std::string& weights, const std::string& path);
output simulated(const std::string& weights, const std::string& path);

}  // namespace machines
