// SPDX-License-Identifier: Apache-2.0
// A program may use intrinsics that tkl does not: <immintrin.h> behind tkl's headers still declares all of them.
// tkl-test: levels=base,avx2,avx512
#include <doctest/doctest.h>

#include <tkl/arch/native.hpp>
#include <tkl/target/cpu.hpp>
// Behind them.
#include <immintrin.h>

namespace {

__attribute__((target("avx512f"))) float first_of_sixteen(const float* x) {
  return _mm512_cvtss_f32(_mm512_loadu_ps(x));
}

}  // namespace

TEST_CASE("intrinsics above the unit's level are declared") {
  const float x[16]{3.0f};
  CHECK((!__builtin_cpu_supports("avx512f") || first_of_sixteen(x) == 3.0f));
}
