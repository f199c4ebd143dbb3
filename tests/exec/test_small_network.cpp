// SPDX-License-Identifier: Apache-2.0
// A small network as a whole program at every level, emulated ones included: compiled, it gives what its graph gives
// node by node in double precision.
#include "support/random_compiled.hpp"
#include "support/strip_reader.hpp"

TEST_CASE("a small network") {
  tkl_test::check_compiled<tkl_test::strip_reader<33>>();
}
