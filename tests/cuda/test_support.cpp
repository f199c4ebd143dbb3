// SPDX-License-Identifier: Apache-2.0
// What the CUDA target says of models without a CUDA header: supports<Model, cuda<>> and its reasons.
#include <doctest/doctest.h>

#include <string>
#include <tkl/exec/cuda_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

namespace {

struct good {
  static constexpr void build(tkl::graph& g) { g.output(tkl::relu(g.input("x", tkl::f32, {4, 6}))); }
};
struct large {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 1024, 1024, 1024});
    g.output(tkl::relu(x), "y");
    g.output(tkl::conv2d(x, g.weight("w", {8, 1024, 1, 1})), "z");
  }
};
/// More steps that cannot run than a message of ordinary length has room for.
struct many {
  static constexpr int steps = 60;
  static constexpr void build(tkl::graph& g) {
    auto x = g.input("x", tkl::f32, {1, 1024, 1024, 1024});
    for (int i = 0; i < steps; ++i) x = tkl::softmax(x);
    g.output(x);
  }
};
static_assert(tkl::supports<good, tkl::cuda<>>);
static_assert(tkl::supports<good, tkl::cuda<tkl::arch::sm_90, tkl::cuda_product::split>>);
static_assert(!tkl::supports<large, tkl::cuda<>>);

TEST_CASE("every step without a kernel is named with its reason") {
  const std::string reasons(tkl::impl::target_support<large, tkl::cuda<>>::mistake.view());
  const std::string reason = ": a tensor reaches beyond 2147483647 bytes, kernels count in 32 bits";
  CHECK(reasons == "map of step 0" + reason + "; conv2d 'w'" + reason);
}

TEST_CASE("all of many are named") {
  const std::string reasons(tkl::impl::target_support<many, tkl::cuda<>>::mistake.view());
  const std::string last = "softmax of step 59: a tensor reaches beyond 2147483647 bytes, kernels count in 32 bits";
  CHECK(reasons.size() > 4000);
  CHECK(reasons.substr(reasons.size() - last.size()) == last);
  int named = 0;
  for (std::size_t at = 0; (at = reasons.find("softmax of step ", at)) != std::string::npos; ++at) ++named;
  CHECK(named == many::steps);
}

}  // namespace
