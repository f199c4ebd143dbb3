// SPDX-License-Identifier: Apache-2.0
// Executors: who runs the parts of a parallel loop.
//
// An executor has workers() and parallel_for(n, f): f(begin, end, worker) is called for disjoint ranges that cover
// [0, n), at most once per worker number in [0, workers()), and no worker number is in use twice at a time (it names a
// part of the scratch memory). Algorithms compute each output element wholly in one call and in one order, so results
// have the same bits under every executor.
#pragma once

#include <concepts>
#include <cstdint>
#include <tkl/config.hpp>

#if defined(_OPENMP)
#  include <omp.h>
#endif

namespace tkl {
TKL_ISA_BEGIN

/// What a loop body looks like to an executor.
struct loop_body_example {
  void operator()(std::int64_t begin, std::int64_t end, int worker) const;
};

template <class X>
concept executor = requires(const X& x, std::int64_t n, loop_body_example body) {
  { x.workers() } -> std::convertible_to<int>;
  x.parallel_for(n, body);
};

/// Runs everything in the calling thread.
struct serial {
  static constexpr int workers() { return 1; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    if (n > 0) f(std::int64_t{0}, n, 0);
  }
};

/// First index of part `part` of [0, n) cut into `parts` contiguous ranges whose lengths differ by at most one.
constexpr std::int64_t part_begin(std::int64_t n, int parts, int part) {
  const std::int64_t length = n / parts, longer = n % parts;
  return part * length + (part < longer ? part : longer);
}

#if defined(_OPENMP)
/// A team of OpenMP threads with a static contiguous partition. Inside a parallel region, where OpenMP may give fewer
/// threads than asked for, each thread runs several parts: every part runs, and the thread count stays as configured.
class openmp {
 public:
  /// `workers`: the number of parts and of threads asked for; 0 means what OpenMP would use here.
  explicit openmp(int workers = 0) : workers_(workers > 0 ? workers : omp_get_max_threads()) {}
  int workers() const { return workers_; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    if (n <= 0) return;
    const int parts = n < workers_ ? static_cast<int>(n) : workers_;
    if (parts == 1) {
      f(std::int64_t{0}, n, 0);
      return;
    }
    // Always the same team size: the OpenMP run time allocates when a team grows.
#  pragma omp parallel num_threads(workers_)
    for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads())
      f(part_begin(n, parts, part), part_begin(n, parts, part + 1), part);
  }

 private:
  int workers_;
};
#endif

TKL_ISA_END
}  // namespace tkl
