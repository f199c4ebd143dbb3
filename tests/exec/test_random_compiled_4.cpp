// SPDX-License-Identifier: Apache-2.0
// Random graphs compiled for the CPU machine give what the unoptimised graph gives in double precision.
// tkl-test: levels=avx2 timeout=600
#include "support/random_compiled.hpp"

TEST_CASE("compiled random graphs") {
  tkl_test::check_range<31>(std::make_integer_sequence<std::uint32_t, 10>{});
}
