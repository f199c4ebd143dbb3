// SPDX-License-Identifier: Apache-2.0
// Where the golden files are, and which there are.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "support/skip.hpp"

namespace tkl::test {

/// Folder of the golden files. Without them a test skips, but not where the environment has CI: there they must be
/// made.
inline std::string golden_folder() {
  const std::string folder = std::string(TKL_GOLDEN_BUILD) + "/golden/";
  if (std::ifstream(folder + "done")) return folder;
  if (std::getenv("CI") == nullptr) skip("build/golden is missing: run tools/prepare.py golden");
  std::fprintf(stderr, "%s is missing: tools/prepare.py golden makes it\n", folder.c_str());
  std::exit(1);
}

inline std::string trained_weights(const std::string& network) {
  return std::string(TKL_GOLDEN_BUILD) + "/weights/" + network + ".safetensors";
}

/// Paths of the golden files whose names begin so, sorted. With `extra`, also those of the folder TKL_EXTRA_GOLDEN,
/// golden files of the same networks that somebody else made, where it exists.
inline std::set<std::string> golden_files(const std::string& prefix, bool extra = false) {
  std::set<std::string> found;
  const auto collect = [&](const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix) && entry.path().extension() == ".safetensors") found.insert(entry.path().string());
    }
  };
  collect(golden_folder());
  if (extra && std::filesystem::is_directory(TKL_EXTRA_GOLDEN)) collect(TKL_EXTRA_GOLDEN);
  return found;
}

}  // namespace tkl::test
