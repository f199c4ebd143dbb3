// SPDX-License-Identifier: Apache-2.0
// Contenders of one case, timed in turns, and the row that each gets in the table.
//
//   for every contender: a round of calls in flight, at most `round_micros`; again, `rounds` times; the median counts
//
// Each call is one launch of a captured graph, for us and for a rival. Nothing that is wrong is timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <tkl/cuda.cuh>
#include <utility>
#include <vector>

namespace gpu_bench {

struct contender {
  std::string how{};
  bool measured = true;                    // false: there is nothing to measure, and `error` says why
  std::string error{};                     // what was wrong before or while it was timed
  std::function<std::string()> enqueue{};  // one call; an error, or empty
  double micros = 0;

  static contender missing(const char* how, const char* why) { return {how, false, why}; }
  static contender failed(const char* how, std::string error) { return {how, true, std::move(error)}; }
  bool good() const { return measured && error.empty(); }
};

/// Microseconds of one call when `calls` of them are in flight; 0 after an error, which is kept.
inline double round_of(const tkl::cuda_context& context, contender& c, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls && c.error.empty(); ++i) c.error = c.enqueue();
  if (const tkl::status s = context.synchronise(); !s && c.error.empty()) c.error = s.message();
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  return c.error.empty() ? taken.count() / calls : 0;
}

/// How many calls take about `micros`, after warming up.
inline int calls_within(const tkl::cuda_context& context, contender& c, double micros) {
  round_of(context, c, 2);
  const double once = round_of(context, c, 5);
  return once > 0 ? static_cast<int>(std::clamp(micros / once, 1.0, 2000.0)) : 1;
}

inline void time_in_turns(const tkl::cuda_context& context, std::vector<contender>& all) {
  constexpr int rounds = 7;
  constexpr double round_micros = 15'000;
  std::vector<int> calls(all.size(), 1);
  std::vector<std::vector<double>> taken(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].good()) calls[i] = calls_within(context, all[i], round_micros);
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].good()) taken[i].push_back(round_of(context, all[i], calls[i]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].good()) continue;
    std::sort(taken[i].begin(), taken[i].end());
    all[i].micros = taken[i][taken[i].size() / 2];
  }
}

/// What the library is to reach: this many times the speed of the rival.
inline constexpr double goal_ratio = 0.7;

/// The rows of all tables, what was wrong in them, the mean of ratios, and the goals beside what was found. Rows appear
/// when their case has ended; what is under way is told on stderr.
class table {
 public:
  /// `seconds`: what is left when the program starts.
  explicit table(double seconds) : last_start_(seconds - longest_case) {}

  void head(const char* title) {
    ratios_ = 0;
    logarithms_ = 0;
    std::printf(
        "\n%s\n\n| case | multiplied in | against the reference | microseconds | TFLOP/s | ratio |\n"
        "|---|---|---|---|---|---|\n",
        title);
    std::fflush(stdout);
  }
  /// Whether there is time for one more case; all end within the seconds given.
  bool begin(const std::string& name) const {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
    std::fprintf(stderr, "gpu_check: %3.0f s: %s\n", since.count(), name.c_str());
    if (since.count() < last_start_) return true;
    std::printf("| %s | | not measured: out of time | | | |\n", name.c_str());
    return false;
  }
  /// `rival`: the number of the contender that the others' ratios are taken to, or -1. A ratio above 1 means that tkl
  /// is faster; the fastest of tkl's counts in the mean, and is returned: 0 where there is none.
  double rows(const std::string& name, const std::vector<contender>& all, double operations, int rival) {
    const double theirs = rival < 0 ? 0 : all[static_cast<std::size_t>(rival)].micros;
    double best = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const contender& c = all[i];
      const bool ours = static_cast<int>(i) != rival;
      if (!c.measured) {
        std::printf("| %s | %s | not measured: %s | | | |\n", name.c_str(), c.how.c_str(), c.error.c_str());
        continue;
      }
      faults_ += !c.good();
      std::printf("| %s | %s | %s | ", name.c_str(), c.how.c_str(), c.good() ? "right" : c.error.c_str());
      if (!c.good()) {
        std::puts("failed | failed | |");
        continue;
      }
      std::printf("%.1f | %.1f | ", c.micros, operations / c.micros / 1e6);
      if (ours && theirs > 0) {
        std::printf("%.2f |\n", theirs / c.micros);
        best = std::max(best, theirs / c.micros);
      } else {
        std::puts(ours && rival >= 0 ? "not measured |" : "|");
      }
    }
    if (best > 0) {
      logarithms_ += std::log(best);
      ++ratios_;
    }
    std::fflush(stdout);
    return best;
  }
  /// The mean over the cases since the head of the table; 0 where nothing was measured.
  double mean(const char* rival) const {
    const double found = ratios_ > 0 ? std::exp(logarithms_ / ratios_) : 0;
    if (ratios_ > 0)
      std::printf("\nGeometric mean of the ratios to %s, %d cases: %.2f\n", rival, ratios_, found);
    else
      std::printf("\nGeometric mean of the ratios to %s: not measured\n", rival);
    std::fflush(stdout);
    return found;
  }
  /// A ratio that is to be `least` or more, 0: no matter what; a ratio of 0: it was not measured.
  void goal(const std::string& what, double ratio, double least = goal_ratio) {
    goals_.push_back({what, ratio, least});
  }
  void goals() const {
    std::puts("\nGoals\n\n| case | goal | measured |\n|---|---|---|");
    for (const reached& g : goals_) {
      std::printf("| %s | ", g.what.c_str());
      if (g.least > 0)
        std::printf("at least %.2f | ", g.least);
      else
        std::printf("none | ");
      if (g.ratio > 0)
        std::printf("%.2f%s |\n", g.ratio, g.ratio < g.least ? ", missed" : "");
      else
        std::puts("not measured |");
    }
  }
  int faults() const { return faults_; }

 private:
  struct reached {
    std::string what;
    double ratio, least;
  };
  static constexpr double longest_case = 40;  // seconds
  double last_start_;
  std::vector<reached> goals_{};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int faults_ = 0, ratios_ = 0;
  double logarithms_ = 0;
};

}  // namespace gpu_bench
