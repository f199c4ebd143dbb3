// SPDX-License-Identifier: Apache-2.0
// Which algorithm the passes choose for a convolution, where a node or a target overrules them, and what the report
// says.
#include <doctest/doctest.h>

#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/describe.hpp>

#include "support/random_compiled.hpp"

using namespace tkl;

namespace {

struct layer {
  std::int64_t size = 56, in = 64, out = 64, kernel = 3, stride = 1;
  conv_method method = conv_method::automatic;
  bool operator==(const layer&) const = default;
};

template <layer L>
struct one_layer {
  static constexpr value build(graph& g) {
    const value x = g.input("x", f32, {1, L.size, L.size, L.in});
    const value w = g.weight("w", {L.out, L.in, L.kernel, L.kernel});
    return relu(conv2d(x, w, {.stride = L.stride, .pad = L.kernel / 2, .method = L.method}));
  }
};

/// A target with the numbers of AVX2, whatever the unit is compiled for.
struct avx2_facts : cpu<> {
  static constexpr target_facts facts() {
    target_facts f = cpu<>::facts();
    f.width = 8, f.rows = 6, f.panel = 16, f.block_rows = 96, f.l2_bytes = 512 * 1024;
    return f;
  }
};

template <layer L, class Target = avx2_facts>
constexpr conv_method chosen() {
  graph g;
  build_model<one_layer<L>>(g);
  const program p =
      make_program(std::move(g), Target::facts(), [](const step&, const edge*) { return std::int64_t{0}; });
  if (!p.error.empty() || p.steps.size() != 1) return conv_method::automatic;
  if (p.steps[0].algorithm != algorithm::winograd) return conv_method::direct;
  return p.steps[0].parameters.mode == 2 ? conv_method::winograd2 : conv_method::winograd4;
}

// Layers of ResNet-50: fewer products win while the transformed weights are small beside them.
static_assert(chosen<layer{56, 64, 64}>() == conv_method::winograd4);
static_assert(chosen<layer{28, 128, 128}>() == conv_method::winograd4);
static_assert(chosen<layer{14, 256, 256}>() == conv_method::winograd2);
static_assert(chosen<layer{7, 512, 512}>() == conv_method::direct);
// What the algorithm does not compute, and what is staged.
static_assert(chosen<layer{56, 64, 64, 3, 2}>() == conv_method::direct);
static_assert(chosen<layer{56, 64, 64, 5}>() == conv_method::direct);
static_assert(chosen<layer{56, 64, 64, 1}>() == conv_method::direct);
static_assert(chosen<layer{224, 3, 64}>() == conv_method::direct);
// A node and a target overrule the estimate.
static_assert(chosen<layer{56, 64, 64, 3, 1, conv_method::direct}>() == conv_method::direct);
static_assert(chosen<layer{7, 512, 512, 3, 1, conv_method::winograd2}>() == conv_method::winograd2);
static_assert(chosen<layer{56, 3, 8, 3, 1, conv_method::winograd4}>() == conv_method::winograd4);
static_assert(chosen<layer{56, 64, 64}, exact<avx2_facts>>() == conv_method::direct);
static_assert(chosen<layer{56, 64, 64}, half_storage<avx2_facts>>() == conv_method::direct);

/// Two convolutions that, small, would run directly and, large, would not.
template <int Size>
struct growing {
  static constexpr value build(graph& g) {
    const value x = g.input("x", f32, {1, Size, Size, 48});
    const value y = relu(conv2d(x, g.weight("a", {48, 48, 3, 3}), {.pad = 1}));
    return conv2d(y, g.weight("b", {40, 48, 3, 3}), {.pad = 1});
  }
};

}  // namespace

TEST_CASE("the report names the estimates of all methods") {
  const std::string with = report<one_layer<layer{56, 64, 64}>, avx2_facts>();
  CHECK(with.find("winograd 4x4") != std::string::npos);
  CHECK(with.find("cycles estimated (direct ") != std::string::npos);
  const std::string without = report<one_layer<layer{56, 64, 64}>, exact<avx2_facts>>();
  CHECK(without.find("winograd") == std::string::npos);
}

TEST_CASE("the shapes of a family share their weights: the largest chooses the methods") {
  static_assert(compile<growing<2>, cpu<>>::layout_hash != compile<growing<40>, cpu<>>::layout_hash);
  using net = buckets<growing, cpu<>, 2, 40>;
  static_assert(net::model<2>::layout_hash == compile<growing<40>, cpu<>>::layout_hash);
  CHECK(net::weights_bytes == compile<growing<40>, cpu<>>::weights_bytes);
}

TEST_CASE("compiled layers of every method agree with the graph") {
  tkl_test::check_compiled<one_layer<layer{9, 20, 33, 3, 1, conv_method::direct}>>();
  tkl_test::check_compiled<one_layer<layer{9, 20, 33, 3, 1, conv_method::winograd2}>>();
  tkl_test::check_compiled<one_layer<layer{9, 20, 33, 3, 1, conv_method::winograd4}>>();
  tkl_test::check_compiled<one_layer<layer{23, 64, 64}>>();
}
