// SPDX-License-Identifier: Apache-2.0
// tkl-test: libs=openmp
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <tkl/exec/executor.hpp>
#include <vector>

using namespace tkl;

namespace {

/// Runs a loop of n and checks that every index is met once, by a valid worker, each worker at most once.
template <class X>
void check_covers(const X& executor, std::int64_t n) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n)), used(static_cast<std::size_t>(executor.workers()));
  executor.parallel_for(n, [&](std::int64_t begin, std::int64_t end, int worker) {
    ++used[static_cast<std::size_t>(worker)];
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  bool once = true;
  for (const auto& s : seen) once = once && s == 1;
  for (const auto& u : used) once = once && u <= 1;
  CHECK(once);
}

}  // namespace

TEST_CASE("the serial executor runs everything once, and nothing for an empty loop") {
  for (std::int64_t n : {0, 1, 7}) check_covers(serial{}, n);
}

TEST_CASE("parts are contiguous, in order and differ by at most one") {
  for (std::int64_t n = 0; n < 40; ++n)
    for (int parts = 1; parts < 9; ++parts) {
      CHECK(part_begin(n, parts, 0) == 0);
      CHECK(part_begin(n, parts, parts) == n);
      for (int i = 0; i < parts; ++i) {
        const std::int64_t length = part_begin(n, parts, i + 1) - part_begin(n, parts, i);
        CHECK((length == n / parts || length == n / parts + 1));
      }
    }
}

#if defined(_OPENMP)
TEST_CASE("OpenMP covers every index once, with more and fewer workers than work") {
  for (int workers : {1, 2, 3, 5})
    for (std::int64_t n : {0, 1, 2, 3, 64, 1000}) check_covers(openmp(workers), n);
  CHECK(openmp(3).workers() == 3);
}

TEST_CASE("inside a parallel region every part still runs, and threads stay as configured") {
  std::atomic<int> sum{0}, most{0};
  const openmp inner(2);
#  pragma omp parallel for num_threads(2)
  for (int i = 0; i < 100; ++i)
    inner.parallel_for(20, [&](std::int64_t begin, std::int64_t end, int worker) {
      sum += static_cast<int>(end - begin);
      if (worker > most) most = worker;
    });
  CHECK(sum == 2000);
  CHECK(most <= 1);
}
#endif
