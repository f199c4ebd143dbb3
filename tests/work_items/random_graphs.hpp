// SPDX-License-Identifier: Apache-2.0
// Random graphs on a device, compared with the unoptimised graph. TKL_DEVICE_SEEDS sets the number of seeds: on OpenCL
// every new kernel costs the device's compiler a moment.
#pragma once

#include <cstdlib>
#include <map>

#include "support/random_graph.hpp"

namespace {

TEST_CASE("random graphs") {
  const char* wanted = std::getenv("TKL_DEVICE_SEEDS");
  const int seeds = wanted != nullptr ? std::atoi(wanted) : 60;
  std::map<std::string, int> refused;
  int ran = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    tkl::graph g;
    tkl_test::random_graph_builder(g, static_cast<std::uint32_t>(seed)).build();
    const std::string reason = tkl_test::check_device_graph(g);
    if (reason.empty()) {
      ++ran;
    } else {
      ++refused[reason];
    }
  }
  for (const auto& [reason, count] : refused) MESSAGE(count, " refused: ", reason);
  CHECK(ran * 5 >= seeds);
}

}  // namespace
