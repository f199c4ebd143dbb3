// SPDX-License-Identifier: Apache-2.0
// What a profile is: for each step of a plan its time, arithmetic and traffic, beside what the machine can do at all.
// Data only; graph/profile.hpp measures it, graph/profile_text.hpp and graph/profile_page.hpp show it.
#pragma once

#include <cstdint>
#include <string>
#include <tkl/config.hpp>
#include <tkl/graph/plan.hpp>
#include <tkl/graph/step_cost.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

/// What the machine can do at most, as the caller measured it; 0: not known.
struct machine_limits {
  double flops_per_second = 0;  // a multiply-add is two
  double bytes_per_second = 0;  // read and written together
};

/// One step. Texts are those of the report (graph/report.hpp).
struct step_profile {
  int number = 0;
  tkl::algorithm algorithm = tkl::algorithm::map;
  std::string algorithm_text{};  // "pool2d max"
  std::string name{};            // may be empty
  std::string input{}, output{};
  std::string window{};
  step_cost cost{};
  double nanoseconds = 0;  // median

  /// Bytes that the step must move: operands, packed weights, result, each once.
  std::int64_t bytes() const { return cost.bytes_read + cost.weight_bytes + cost.bytes_written; }
  double flops_per_second() const { return per_second(static_cast<double>(cost.flops)); }
  double bytes_per_second() const { return per_second(static_cast<double>(bytes())); }
  /// Arithmetic per byte.
  double intensity() const { return bytes() > 0 ? static_cast<double>(cost.flops) / static_cast<double>(bytes()) : 0; }

 private:
  double per_second(double amount) const { return nanoseconds > 0 ? 1e9 * amount / nanoseconds : 0; }
};

/// A profiled plan. All times are medians over the rounds.
struct plan_profile {
  std::string title{};
  std::vector<step_profile> steps{};
  int rounds = 0;
  double run_nanoseconds = 0;  // of whole runs, without a clock between the steps
  machine_limits limits{};     // medians of what was measured in the same rounds

  double step_nanoseconds() const {
    double sum = 0;
    for (const step_profile& s : steps) sum += s.nanoseconds;
    return sum;
  }
  step_cost cost() const {
    step_cost sum;
    for (const step_profile& s : steps) {
      sum.flops += s.cost.flops;
      sum.bytes_read += s.cost.bytes_read;
      sum.bytes_written += s.cost.bytes_written;
      sum.weight_bytes += s.cost.weight_bytes;
    }
    return sum;
  }
  /// Parts of the limits, 1 for all of it; 0 where the limit is not known.
  double share_of_peak(double flops_per_second) const {
    return limits.flops_per_second > 0 ? flops_per_second / limits.flops_per_second : 0;
  }
  double share_of_bandwidth(double bytes_per_second) const {
    return limits.bytes_per_second > 0 ? bytes_per_second / limits.bytes_per_second : 0;
  }
};

TKL_ISA_END
}  // namespace tkl
