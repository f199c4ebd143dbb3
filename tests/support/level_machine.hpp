// SPDX-License-Identifier: Apache-2.0
// The CPU machine of the level that a test is compiled for.
#pragma once

#include <tkl/target/cpu.hpp>

namespace tkl::test {

#if defined(__AVX512F__)
using level = arch::avx512;
#elif defined(__AVX2__)
using level = arch::avx2;
#elif defined(__aarch64__)
using level = arch::neon;
#else
using level = arch::base;
#endif
using machine = cpu_machine<level>;

}  // namespace tkl::test
