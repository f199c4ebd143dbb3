// SPDX-License-Identifier: Apache-2.0
// Competitors of one case, measured by Google Benchmark in interleaved rounds: 31 samples of about 3 ms each in random
// order, medians. Ratios of medians of the same rounds are what other load on the machine disturbs least.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Keeps the time per call of each repetition instead of printing it.
class sample_collector : public benchmark::BenchmarkReporter {
 public:
  std::map<std::string, std::vector<double>> samples{};

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& r : runs)
      if (r.run_type == Run::RT_Iteration && r.iterations > 0)
        samples[r.run_name.function_name].push_back(r.real_accumulated_time / static_cast<double>(r.iterations));
  }
};

/// One case. Add competitors, then measure once.
class contest {
 public:
  contest() {
    static const bool initialised = [] {
      char program[] = "bench", interleave[] = "--benchmark_enable_random_interleaving=true";
      char* arguments[] = {program, interleave, nullptr};
      int count = 2;
      benchmark::Initialize(&count, arguments);
      return true;
    }();
    static_cast<void>(initialised);
    benchmark::ClearRegisteredBenchmarks();
  }

  /// `call` is one whole operation; calls that take long get fewer samples.
  template <class F>
  void add(const std::string& name, F call) {
    call();
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const int samples = taken.count() > 0.05 ? 11 : 31;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [call](benchmark::State& state) {
                                   for (auto _ : state) {
                                     call();
                                     benchmark::ClobberMemory();
                                   }
                                 })
        ->UseRealTime()
        ->MinTime(0.003)
        ->Repetitions(samples);
  }

  /// Seconds per call of each competitor.
  std::map<std::string, double> measure() {
    sample_collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector, nullptr, "all");
    benchmark::ClearRegisteredBenchmarks();
    std::map<std::string, double> medians;
    for (auto& [name, samples] : collector.samples) {
      std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2),
                       samples.end());
      medians[name] = samples[samples.size() / 2];
    }
    return medians;
  }
};

}  // namespace bench
