// SPDX-License-Identifier: Apache-2.0
// Random graphs on a device, compared with the unoptimised graph; all of them run. TKL_DEVICE_SEEDS sets the number of
// seeds: on OpenCL every new kernel costs the device's compiler a moment.
#pragma once

#include <cstdlib>
#include <string>

#include "support/random_graph.hpp"

namespace {

TEST_CASE("random graphs") {
  const char* wanted = std::getenv("TKL_DEVICE_SEEDS");
  const int seeds = wanted != nullptr ? std::atoi(wanted) : 60;
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    tkl::graph g;
    tkl_test::random_graph_builder(g, static_cast<std::uint32_t>(seed)).build();
    const std::string reason = tkl_test::check_device_graph(g);
    CHECK(reason == "");
  }
}

}  // namespace
