// SPDX-License-Identifier: Apache-2.0
// One network, one set of weights, one program: the least CPU level, the host's best, the OpenCL device and the
// simulated GPU agree, each with each.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../compare.hpp"
#include "../golden_folder.hpp"
#include "outputs.hpp"

using namespace tkl::test;

TEST_CASE("four machines agree in pairs") {
  for (const std::string& path : golden_files("rec_320_")) {
    CAPTURE(path);
    const std::string weights = trained_weights("rec");
    const machines::output all[] = {machines::base(weights, path), machines::best(weights, path),
                                    machines::device(weights, path), machines::simulated(weights, path)};
    for (const machines::output& o : all) REQUIRE(o.error == "");
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) {
        const std::vector<float>&x = all[a].values, &y = all[b].values;
        REQUIRE(x.size() == y.size());
        double largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double error = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
          largest = error >= 0 ? std::max(largest, error) : 1;
        }
        CAPTURE(a);
        CAPTURE(b);
        CHECK(largest <= probability_tolerance);
        MESSAGE(path, ": machines ", a, " and ", b, ": ", largest);
      }
  }
}
