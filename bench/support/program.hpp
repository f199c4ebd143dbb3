// SPDX-License-Identifier: Apache-2.0
// What every benchmark program does around its cases.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "environment.hpp"
#include "ratios.hpp"

namespace bench {

/// The rows of one benchmark.
class results {
 public:
  explicit results(std::string name) : bench_(std::move(name)) {}
  const row& add(row r) {
    r.bench = bench_;
    std::printf("%-8s %-26s %-16s %6s  floor %5s  %5s%% of limit %s\n", bench_.c_str(), r.name.c_str(), r.rival.c_str(),
                text(r.ratio).c_str(), text(r.floor).c_str(),
                text(r.percent_of_peak ? r.percent_of_peak : r.percent_of_bandwidth).c_str(), r.error.c_str());
    std::fflush(stdout);
    rows.push_back(std::move(r));
    return rows.back();
  }
  std::vector<row> rows{};

 private:
  static std::string text(const std::optional<double>& v) {
    if (!v) return "-";
    char s[32];
    std::snprintf(s, sizeof s, "%.3g", *v);
    return s;
  }
  std::string bench_;
};

/// main of a benchmark: `--ratios FILE` is where the rows go (default: ratios.json in the project's build folder),
/// `--only TEXT` restricts the cases. Exit status 1 when a row has an error.
inline int run(int count, char** arguments, const std::string& name,
               const std::function<void(results&, const std::function<bool(const std::string&)>&)>& measure) {
  settle_environment(arguments);
  std::string path = TKL_SOURCE_DIR "/build/ratios.json", only;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = arguments[i];
    if (option == "--ratios") path = arguments[i + 1];
    if (option == "--only") only = arguments[i + 1];
  }
  results all(name);
  measure(all, [&](const std::string& c) { return c.find(only) != std::string::npos; });
  if (only.empty() && !merge_rows(path, all.rows)) {
    std::fprintf(stderr, "%s cannot be written\n", path.c_str());
    return 1;
  }
  for (const row& r : all.rows)
    if (!r.error.empty()) return 1;
  return 0;
}

}  // namespace bench
