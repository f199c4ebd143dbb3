// SPDX-License-Identifier: Apache-2.0
// A profile as a text for people: totals, then one row per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tkl/config.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/profile_data.hpp>
#include <tkl/graph/report.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// "812 ns", "1.50 us", "12.3 ms".
inline std::string time_text(double nanoseconds) {
  constexpr const char* units[] = {" ns", " us", " ms", " s"};
  int unit = 0;
  while (nanoseconds >= 999.5 && unit < 3) nanoseconds /= 1000, ++unit;
  return three_digits(nanoseconds, unit > 0) + units[unit];
}

/// "12.3" of a share 0.123; "-" for one that is not known or nothing.
inline std::string percent_text(double share) {
  if (share <= 0) return "-";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.1f", 100 * share);
  return buffer;
}

inline std::string rate_text(double per_second, const char* unit) {
  return per_second <= 0 ? "-" : count_text(static_cast<std::int64_t>(per_second), unit);
}

/// The head of a profile, as lines: the run, its rates, the limits.
inline std::vector<std::string> profile_facts(const plan_profile& p) {
  const step_cost sum = p.cost();
  const double flops = p.run_nanoseconds > 0 ? 1e9 * static_cast<double>(sum.flops) / p.run_nanoseconds : 0;
  std::vector<std::string> facts;
  facts.push_back("run " + time_text(p.run_nanoseconds) + ", sum of the steps " + time_text(p.step_nanoseconds()) +
                  " (medians of " + std::to_string(p.rounds) + " rounds)");
  facts.push_back(std::to_string(p.steps.size()) + " steps, " + count_text(sum.flops, "FLOP") + ", " +
                  bytes_text(sum.bytes_read) + " read, " + bytes_text(sum.bytes_written) + " written, " +
                  bytes_text(sum.weight_bytes) + " of weights");
  facts.push_back(rate_text(flops, "FLOP/s") +
                  (p.limits.flops_per_second > 0 ? ", " + percent_text(p.share_of_peak(flops)) + " % of the peak of " +
                                                       rate_text(p.limits.flops_per_second, "FLOP/s")
                                                 : ", peak not measured") +
                  (p.limits.bytes_per_second > 0
                       ? "; bandwidth " + rate_text(p.limits.bytes_per_second, "B/s") + " (read and written)"
                       : "; bandwidth not measured"));
  return facts;
}

struct profile_column {
  const char* head;
  bool right;
};
inline constexpr profile_column profile_columns[] = {
    {"step", true},      {"algorithm", false}, {"input", false},         {"output", false},
    {"window", false},   {"time", true},       {"% of run", true},       {"FLOP", true},
    {"read", true},      {"written", true},    {"weights", true},        {"FLOP/s", true},
    {"% of peak", true}, {"B/s", true},        {"% of bandwidth", true}, {"name", false},
};

/// The cells of one step, one per column.
inline std::vector<std::string> profile_cells(const plan_profile& p, const step_profile& s) {
  const double sum = p.step_nanoseconds();
  return {std::to_string(s.number),
          s.algorithm_text,
          s.input,
          s.output,
          s.window,
          time_text(s.nanoseconds),
          percent_text(sum > 0 ? s.nanoseconds / sum : 0),
          s.cost.flops > 0 ? count_text(s.cost.flops) : "-",
          bytes_text(s.cost.bytes_read),
          bytes_text(s.cost.bytes_written),
          s.cost.weight_bytes > 0 ? bytes_text(s.cost.weight_bytes) : "-",
          rate_text(s.flops_per_second(), ""),
          percent_text(p.share_of_peak(s.flops_per_second())),
          rate_text(s.bytes_per_second(), ""),
          percent_text(p.share_of_bandwidth(s.bytes_per_second())),
          tail_text(s.name, 40)};
}

}  // namespace impl

/// The profile as a text. Percentages of the run are of the sum of the steps; "-" is nothing, or not measured.
inline std::string profile_table(const plan_profile& p) {
  std::string t = p.title + '\n';
  for (const std::string& fact : impl::profile_facts(p)) t += fact + '\n';
  std::vector<std::string_view> heads;
  std::vector<bool> right;
  for (const impl::profile_column& c : impl::profile_columns) {
    heads.emplace_back(c.head);
    right.push_back(c.right);
  }
  impl::text_table table(heads, right);
  for (const step_profile& s : p.steps) table.row(impl::profile_cells(p, s));
  return t + '\n' + table.text();
}

TKL_ISA_END
}  // namespace tkl
