// SPDX-License-Identifier: Apache-2.0
// Results: rows of a file that all benchmarks share, keyed by bench, case, rival, level and threads.
#pragma once

#include <fcntl.h>
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "environment.hpp"

namespace bench {

/// One comparison. `ratio` above 1: tkl is faster. A row passes when it has no error and reaches its floor, or 92 % of
/// the limit that was measured in the same rounds.
struct row {
  std::string bench, name, rival, rival_version;
  std::optional<double> ratio, floor, percent_of_peak, percent_of_bandwidth;
  std::string error;
};

/// The mean of rows, as case "geomean" (or `name`); failed when one of them failed.
inline row geometric_mean(const std::vector<row>& rows, std::optional<double> floor, std::string name = "geomean") {
  row mean;
  mean.name = std::move(name);
  mean.floor = floor;
  double ratios = 0, peaks = 0;
  bool all_peaks = true;
  for (const row& r : rows) {
    mean.bench = r.bench, mean.rival = r.rival, mean.rival_version = r.rival_version;
    if (!r.error.empty()) mean.error += (mean.error.empty() ? "" : "; ") + r.name + ": " + r.error;
    ratios += r.ratio ? std::log(*r.ratio) : 0;
    peaks += r.percent_of_peak ? std::log(*r.percent_of_peak) : 0;
    all_peaks = all_peaks && r.percent_of_peak.has_value();
  }
  const auto count = static_cast<double>(rows.size());
  if (rows.empty()) mean.error = "no cases";
  if (mean.error.empty()) mean.ratio = std::exp(ratios / count);
  if (mean.error.empty() && all_peaks) mean.percent_of_peak = std::exp(peaks / count);
  return mean;
}

/// Merges rows into the file: rows with the same key are replaced, a reader never sees half a file, and benchmarks that
/// run side by side do not lose each other's rows. False: the file cannot be read or written.
inline bool merge_rows(const std::string& path, const std::vector<row>& rows) {
  const int lock = open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) return false;
  rapidjson::Document all;
  {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().empty() || all.Parse(text.str().c_str()).HasParseError() || !all.IsArray()) all.SetArray();
  }
  auto& memory = all.GetAllocator();
  const auto text = [&](const std::string& s) {
    return rapidjson::Value(s.c_str(), static_cast<rapidjson::SizeType>(s.size()), memory);
  };
  const auto number = [](const std::optional<double>& v) { return v ? rapidjson::Value(*v) : rapidjson::Value(); };
  const auto same = [](const rapidjson::Value& old, const char* key, std::string_view s) {
    return old.HasMember(key) && old[key].IsString() && s == old[key].GetString();
  };
  for (const row& r : rows) {
    for (rapidjson::SizeType i = all.Size(); i-- > 0;) {
      const rapidjson::Value& old = all[i];
      if (old.IsObject() && same(old, "bench", r.bench) && same(old, "case", r.name) && same(old, "rival", r.rival) &&
          same(old, "level", level) && old.HasMember("threads") && old["threads"].IsInt() &&
          old["threads"].GetInt() == 1)
        all.Erase(all.Begin() + i);
    }
    rapidjson::Value v(rapidjson::kObjectType);
    v.AddMember("bench", text(r.bench), memory);
    v.AddMember("case", text(r.name), memory);
    v.AddMember("level", text(std::string(level)), memory);
    v.AddMember("threads", 1, memory);
    v.AddMember("rival", text(r.rival), memory);
    v.AddMember("rival_version", text(r.rival_version), memory);
    v.AddMember("ratio", number(r.ratio), memory);
    v.AddMember("floor", number(r.floor), memory);
    v.AddMember("percent_of_peak", number(r.percent_of_peak), memory);
    v.AddMember("percent_of_bandwidth", number(r.percent_of_bandwidth), memory);
    v.AddMember("error", r.error.empty() ? rapidjson::Value() : text(r.error), memory);
    all.PushBack(v, memory);
  }
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetMaxDecimalPlaces(4);
  writer.SetIndent(' ', 1);
  all.Accept(writer);
  const std::string temporary = path + ".new";
  std::ofstream out(temporary);
  out << buffer.GetString() << '\n';
  out.close();
  const bool good = out.good() && std::rename(temporary.c_str(), path.c_str()) == 0;
  close(lock);
  return good;
}

}  // namespace bench
