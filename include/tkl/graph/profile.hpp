// SPDX-License-Identifier: Apache-2.0
// Where the time of a compiled model goes: its steps run one by one with a clock between them.
//
//   for round: limits(); a run that warms the caches; run, timed; for step: step, timed
//
// The loop is a function of its own. A model that nobody profiles has no hook and no code of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/run_plan.hpp>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/describe.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/plan_view.hpp>
#include <tkl/graph/profile_data.hpp>
#include <tkl/graph/step_cost.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

struct profile_options {
  int rounds = 31;
  std::string_view title = "profile";
};

/// Limits of a machine that nobody measured: shares are not told.
struct no_limits {
  machine_limits operator()() const { return {}; }
};

namespace impl {

inline double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// The steps of a plan with texts and costs, without times.
inline plan_profile described(const plan_view& p, const profile_options& options) {
  plan_profile all;
  all.title = options.title;
  all.rounds = options.rounds;
  for (int i = 0; i < p.step_count; ++i) {
    const step& s = p.steps[i];
    step_profile x;
    x.number = i;
    x.algorithm = s.algorithm;
    x.algorithm_text = algorithm_text(p, s);
    x.name = label_of_step(p, i);
    const step_reads reads = reads_of(s);
    for (int k = 0; k < reads.count && x.input.empty(); ++k)
      if (reads.at[k].role != edge_role::weight) x.input = shape_text(p.edges[reads.at[k].edge]);
    x.output = shape_text(p.edges[s.out]);
    x.window = window_text(s);
    x.cost = cost_of(p, i);
    all.steps.push_back(std::move(x));
  }
  return all;
}

}  // namespace impl

/// Profiles a plan. `described` is the same plan with its texts; `now()` gives nanoseconds from any start; `limits()`
/// is called once a round and gives machine_limits that it measured. Fails as a run does, and when there is no round.
template <class X, class Clock, class Limits = no_limits>
TKL_COLD result<plan_profile> profile_plan(const plan_reference<X>& plan, const plan_view& described,
                                           const std::byte* weights, const arena_workspace& w, const void* const* in,
                                           void* const* out, const X& executor, Clock now,
                                           const profile_options& options = {}, Limits limits = {}) {
  message_text m;
  if (options.rounds < 1) return status::failure(m << options.rounds << " rounds asked for, a profile needs 1");
  if (described.step_count != plan.step_count)
    return status::failure(m << "the description has " << described.step_count << " steps, the plan "
                             << plan.step_count);
  plan_profile all = impl::described(described, options);
  std::vector<std::vector<double>> step_samples(all.steps.size());
  std::vector<double> run_samples, peaks, bandwidths;
  for (int round = 0; round < options.rounds; ++round) {
    const machine_limits limit = limits();
    peaks.push_back(limit.flops_per_second);
    bandwidths.push_back(limit.bytes_per_second);
    if (status s = run_plan(plan, weights, w, in, out, executor); !s) return s;
    auto before = now();
    if (status s = run_plan(plan, weights, w, in, out, executor); !s) return s;
    auto after = now();
    run_samples.push_back(static_cast<double>(after - before));
    before = now();
    for (int i = 0; i < plan.step_count; ++i) {
      run_step(plan, i, weights, w, in, out, executor);
      after = now();
      step_samples[static_cast<std::size_t>(i)].push_back(static_cast<double>(after - before));
      before = after;
    }
  }
  for (std::size_t i = 0; i < all.steps.size(); ++i)
    all.steps[i].nanoseconds = impl::median(std::move(step_samples[i]));
  all.run_nanoseconds = impl::median(std::move(run_samples));
  all.limits = {impl::median(std::move(peaks)), impl::median(std::move(bandwidths))};
  return all;
}

/// Profiles a compiled model on untyped buffers, as its run() takes them.
template <class Model, class Target, class Clock, class Limits = no_limits>
TKL_COLD result<plan_profile> profile_model(const compile<Model, Target>& model, const arena_workspace& w,
                                            const void* const* in, void* const* out, Clock now,
                                            const profile_options& options = {}, Limits limits = {},
                                            const typename Target::executor_type& executor = {}) {
  const program p = describe<Model, Target>();
  return profile_plan(model.reference(), view_of(p), model.weights().data(), w, in, out, executor, now, options,
                      limits);
}

TKL_ISA_END
}  // namespace tkl
