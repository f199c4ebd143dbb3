// SPDX-License-Identifier: Apache-2.0
// The profile of a model of one's own: a table, and a page with the roofline and the timeline.
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <tkl/cpu.hpp>
#include <tkl/graph/profile.hpp>
#include <tkl/graph/profile_page.hpp>
#include <tkl/graph/profile_text.hpp>

namespace {

/// Attention of 64 rows over themselves: a model without weights.
struct mixer {
  static constexpr tkl::value build(tkl::graph& g) {
    const tkl::value x = tkl::layer_norm(g.input("x", tkl::f32, {1, 64, 96}));
    return tkl::softmax(tkl::attention(x, x, x, {.heads = 4}) + x);
  }
};
using net = tkl::compile<mixer, tkl::cpu<>>;

}  // namespace

int main() {
  const auto model = net::share({});
  const auto memory = net::workspace::make();
  if (!model || !memory) return 1;
  static std::array<float, 64 * 96> x{}, y{};
  const void* in[] = {x.data()};
  void* out[] = {y.data()};
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
  const auto profile = tkl::profile_model(*model, *memory, in, out, now, {.rounds = 5, .title = "mixer"});
  if (!profile) return std::puts(profile.error().message()), 1;
  std::fputs(tkl::profile_table(*profile).c_str(), stderr);
  std::ofstream("mixer.html") << tkl::profile_page(*profile);

  std::printf("%zu steps\n", profile->steps.size());
  std::printf("operations %s\n", profile->cost().flops == net::flops ? "add up" : "do not add up");
}
