// SPDX-License-Identifier: Apache-2.0
// Report and drawings of a model with a mistake say what is wrong, where those of a sound one show it.
#include <doctest/doctest.h>

#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/describe.hpp>

namespace {

template <int Channels>
struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const auto x = g.input("image", tkl::f32, {1, 8, 8, 4});
    return tkl::relu(tkl::conv2d(x, g.weight("conv", {8, Channels, 3, 3})));
  }
};
using target = tkl::cpu<>;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a mistake is told") {
  using broken = model<3>;
  CHECK(tkl::report<broken, target>() == "conv2d 'conv': input has 4 channels, weight expects 3\n");
  const std::string shown[] = {tkl::draw_model<broken>(), tkl::draw_steps<broken, target>(),
                               tkl::draw_memory<broken, target>()};
  for (const std::string& svg : shown) {
    CAPTURE(svg);
    CHECK(holds(svg, "input has 4 channels, weight expects 3</text>"));
    CHECK(svg.starts_with("<svg "));
  }
}

TEST_CASE("a sound model is shown") {
  CHECK(holds(tkl::report<model<4>, target>(), "1 steps"));
  CHECK(holds(tkl::draw_model<model<4>>(), "conv"));
}
