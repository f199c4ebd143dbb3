// SPDX-License-Identifier: Apache-2.0
// Chains of convolutions on the CPU's kernels: against the unoptimised graph, and with any number of threads the same
// bits as with one.
// tkl-test: levels=avx2 libs=openmp timeout=300
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <tkl/cpu.hpp>
#include <vector>

#include "support/random_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::value;

namespace {

/// A second-level cache that holds a few rows.
template <class Target>
struct small_cache : Target {
  static constexpr tkl::target_facts facts() {
    tkl::target_facts f = Target::facts();
    f.l2_bytes = 60 * 1024;
    return f;
  }
};

/// Two blocks with a residual, which the estimate chains, and two convolutions with windows, which are asked to be.
struct blocks {
  static constexpr value build(graph& g) {
    const value x = g.input("x", f32, {2, 37, 21, 19});
    const value e = tkl::hard_swish(conv2d(x, g.weight("e", {67, 19, 1, 1}), g.weight("eb", {67})));
    const value d = tkl::relu6(conv2d(e, g.weight("d", {67, 1, 5, 5}), {.pad = {1, 2, 3, 2}, .groups = 67}));
    const value y = x + conv2d(d, g.weight("p", {19, 67, 1, 1}), g.weight("pb", {19}), {.chain = always});
    const value f = tkl::silu(conv2d(y, g.weight("f", {70, 19, 3, 3}), {.pad = 1, .method = direct}));
    return conv2d(f, g.weight("w", {23, 70, 3, 3}), {.stride = 2, .pad = {0, 1}, .method = direct, .chain = always});
  }
  static constexpr auto always = tkl::conv_chaining::always;
  static constexpr auto direct = tkl::conv_method::direct;
};

template <class Model>
void check() {
  using alone = tkl::compile<Model, small_cache<tkl::cpu<>>>;
  using team = tkl::compile<Model, small_cache<tkl::cpu<tkl::arch::native, tkl::openmp>>>;
  int chains = 0;
  for (int i = 0; i < alone::steps; ++i) chains += alone::plan_steps()[i].algorithm == tkl::algorithm::conv_chain;
  CHECK(chains > 0);
  graph g;
  tkl::build_model<Model>(g);
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto run = [&](const auto& model, const auto& executor, int workers) {
    using net = std::remove_cvref_t<decltype(*model)>;
    REQUIRE(model.ok());
    const auto workspace = net::workspace::make(workers);
    REQUIRE(workspace.ok());
    std::vector<std::vector<std::byte>> outputs = output_buffers(g);
    std::vector<void*> pointers;
    for (auto& o : outputs) pointers.push_back(o.data());
    const tkl::status s = model->run(*workspace, inputs.pointers.data(), pointers.data(), executor);
    const std::string message = s.message();
    REQUIRE(message == "");
    return outputs[0];
  };
  const std::vector<std::byte> first = run(alone::load(*tensors, {.allow_surplus = true}), tkl::serial{}, 1);
  const std::string difference = compare(expected[0], widened(first, f32), 2 * tolerance_of(g));
  REQUIRE(difference == "");
  const auto model = team::load(*tensors, {.allow_surplus = true});
  for (int workers = 1; workers <= 7; ++workers) {
    CAPTURE(workers);
    CHECK(run(model, tkl::openmp(workers), workers) == first);
  }
}

}  // namespace

TEST_CASE("blocks with a residual, and convolutions with windows") {
  check<blocks>();
}
