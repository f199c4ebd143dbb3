// SPDX-License-Identifier: Apache-2.0
// tkl-test: levels=base,avx512,neon
// The guard pages really stop a program, in every way that the tests are run.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "support/guarded.hpp"

using tkl::test::guard;
using tkl::test::guarded;

namespace {

/// Whether reading `address` ends a child process.
bool faults(const volatile char* address) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGSEGV, SIG_DFL);
    (void)*address;
    _exit(0);
  }
  int how = 0;
  if (child < 0 || waitpid(child, &how, 0) != child) return false;
  return !(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

}  // namespace

TEST_CASE("buffers are flush against the guard and aligned as asked") {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{7}, std::size_t{1023}, std::size_t{1024}, std::size_t{1025}}) {
    guarded<float> at_end(n), at_start(n, guard::start), aligned(n, guard::end, 64);
    CHECK(reinterpret_cast<std::uintptr_t>(at_end.end()) % page == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(at_start.data()) % page == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned.data()) % 64 == 0);
    for (float& x : at_end) {
      CHECK(x == 0.0f);
      x = 1.0f;
    }
    CHECK(at_end.intact());
  }
  guarded<char> none(0);
  CHECK(none.begin() == none.end());
}

TEST_CASE("a write into the slack of an aligned buffer is seen") {
  guarded<char> buffer(3, guard::end, 64);
  char* after = buffer.end();
  const char kept = *after;
  *after = 0;
  CHECK_FALSE(buffer.intact());
  *after = kept;
  CHECK(buffer.intact());
}

TEST_CASE("touching the byte behind or before faults") {
  if (!tkl::test::page_protection_works()) {
    MESSAGE("page protection is not enforced on this machine: nothing to test");
    return;
  }
  guarded<char> at_end(5), at_start(5, guard::start);
  CHECK_FALSE(faults(at_end.end() - 1));
  CHECK(faults(at_end.end()));
  CHECK(faults(at_start.data() - 1));
}
