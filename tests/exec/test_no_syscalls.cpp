// SPDX-License-Identifier: Apache-2.0
// After start-up the serial recogniser allocates nothing, locks nothing and calls nothing of the kernel's: it runs in a
// child whose first system call but for its exit kills it.
// tkl-test: levels=avx2 libs=read_page,dl emulated=no
#include <doctest/doctest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <tkl/cpu.hpp>
#include <vector>

#include "support/count_calls.hpp"
#include "support/random_weights.hpp"

using namespace tkl;

namespace {

/// Kills this process at its next system call that is not its exit. False when the kernel has no such filter.
bool forbid_system_calls() {
  const sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), const_cast<sock_filter*>(program)};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

constexpr int no_filter = 99;

/// Status of a child that runs `f` without system calls and exits with its result.
template <class F>
int run_without_system_calls(F f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int result = forbid_system_calls() ? f() : no_filter;
    syscall(SYS_exit_group, result);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("the filter kills") {
  const int status = run_without_system_calls([] { return static_cast<int>(syscall(SYS_getppid) != 0); });
  REQUIRE_MESSAGE(WIFSIGNALED(status),
                  "exit status " << WEXITSTATUS(status) << "; " << no_filter << ": no seccomp here");
  CHECK(WTERMSIG(status) == SIGSYS);
}

TEST_CASE("the counters count") {
  const long before = test::allocations;
  std::vector<int>* volatile v = new std::vector<int>(10);
  delete v;
  CHECK(test::allocations - before >= 1);
  const long unlocked = test::locks;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  CHECK(test::locks - unlocked == 1);
}

TEST_CASE("runs of the recogniser") {
  using model = read_page::recogniser<320>;
  using network = compile<model, cpu<>>;
  const std::string path = std::string(TKL_BUILD_DIR) + "/no_syscalls." + arch::native::name.data() + ".safetensors";
  test::write_random_weights<model>(path);
  const auto net = network::load(path.c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  const auto workspace = network::workspace::make();
  REQUIRE(workspace);
  const std::vector<std::uint8_t> picture(48 * 320 * 3, 100);
  const std::int32_t width[] = {300};
  std::vector<float> expected(40 * 6625), out(expected.size());

  const int status = run_without_system_calls([&] {
    const long allocations = test::allocations, locks = test::locks;
    bool good = (*net)(*workspace, picture, +width, expected).ok();  // the first run already
    for (int i = 0; i < 2 && good; ++i) good = (*net)(*workspace, picture, +width, out).ok();
    // A mistake is reported without allocating, too.
    const bool refused = !(*net)(*workspace, picture, +width, static_cast<float*>(nullptr)).ok();
    if (test::allocations != allocations) return 2;
    if (test::locks != locks) return 3;
    return good && refused && std::memcmp(out.data(), expected.data(), 4 * out.size()) == 0 ? 0 : 1;
  });
  REQUIRE_MESSAGE(WIFEXITED(status), "killed by signal " << WTERMSIG(status) << " (" << SIGSYS << ": a system call)");
  CHECK(WEXITSTATUS(status) == 0);  // 1: wrong result, 2: allocated, 3: locked
}
