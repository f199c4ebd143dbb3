// SPDX-License-Identifier: Apache-2.0
// Ends a test program that cannot run here, loudly: CTest counts it as skipped and shows the reason.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tkl::test {

[[noreturn]] inline void skip(const char* reason) {
  std::printf("SKIPPED: %s\n", reason);
  std::fflush(stdout);
  std::exit(77);
}

}  // namespace tkl::test
