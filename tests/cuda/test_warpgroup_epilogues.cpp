// SPDX-License-Identifier: Apache-2.0
// Epilogues behind products of warpgroups, evaluated where their sums are: a plan in f32 whose input is stored in 16
// bits instead, as half storage does; whole, and with its depth cut into parts.
#include <array>
#include <string>

#include "support/cuda_tile_run.hpp"

namespace {

struct product_shape {
  int places, depth, columns;
};

template <product_shape S>
struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, S.places, 3, S.depth});
    const auto y = tkl::conv2d(x, g.weight("w", {S.columns, S.depth, 1, 1}), g.weight("b", {S.columns}));
    g.output(tkl::silu(y) * g.weight("scale", {S.columns}) + g.input("residual", tkl::f32, y.shape()));
  }
};

template <product_shape S, tkl::element Type>
void check(int cut, double tolerance) {
  using target = tkl::cuda<tkl::arch::sm_90a, tkl::cuda_product::rounded>;
  using net = tkl::compile<model<S>, target>;
  static_assert(net::steps == 1);
  tkl::graph g;
  tkl::build_model<model<S>>(g);
  tkl_test::graph_inputs inputs(g);
  // The input in 16 bits, exactly.
  std::vector<std::uint16_t> narrow(inputs.bytes[0].size() / 4);
  auto* const wide = reinterpret_cast<float*>(inputs.bytes[0].data());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    narrow[i] = Type == tkl::f16 ? tkl::to_half(wide[i]).bits : tkl::to_bfloat16(wide[i]).bits;
    wide[i] = Type == tkl::f16 ? tkl::to_float(tkl::half{narrow[i]}) : tkl::to_float(tkl::bfloat16{narrow[i]});
  }
  const auto expected = tkl_test::run_unoptimised(g, inputs)[0];

  static constexpr tkl::device_plan original = net::plan();
  static constexpr tkl::kernel_key key = [] {
    tkl::kernel_key k = original.keys[0];
    k.in = Type;
    return k;
  }();
  const tkl::step& s = original.steps[0];
  std::vector<tkl::edge> edges;
  for (std::int16_t e = 0; e <= 8 && e <= (std::max)({s.in[0], s.weight, s.out, s.operand[0], s.operand[1]}); ++e)
    edges.push_back(original.edges[e]);
  edges[static_cast<std::size_t>(s.in[0])].type = Type;
  tkl::device_plan plan = original;
  plan.edges = edges.data();
  plan.keys = &key;
  const tkl::cuda_kernel kernel = tkl::cuda_kernel_of<key, tkl::arch::sm_90a, tkl::cuda_product::rounded, true>();

  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  const auto weights = tkl::pack_weights(net::loading(), *tensors, {});
  REQUIRE(weights.ok());
  const auto loaded =
      tkl::cuda_model::make(tkl_test::device_for<target>(), plan, &kernel, weights->data(),
                            tkl::cuda_needs_of<tkl::arch::sm_90a, tkl::cuda_product::rounded>(plan), true);
  REQUIRE(loaded.ok());
  cuda_cpu::sim().shared_used = 0;
  const int before = cuda_cpu::sim().called["cudaLaunchKernel"];
  const auto workspace = tkl::cuda_workspace::make(*loaded);
  REQUIRE(workspace.ok());
  CHECK(cuda_cpu::sim().shared_used == static_cast<std::size_t>(tkl::arch::sm_90a::ring.shared_bytes()));
  CHECK(cuda_cpu::sim().called["cudaLaunchKernel"] - before == (cut > 1 ? 2 : 1));
  CHECK((loaded->partial_bytes() > 0) == (cut > 1));
  std::vector<float> y(expected.size());
  const void* in[] = {narrow.data(), inputs.pointers[1]};
  void* out[] = {y.data()};
  for (const auto order :
       {cuda_cpu::thread_order::forward, cuda_cpu::thread_order::reverse, cuda_cpu::thread_order::random}) {
    cuda_cpu::order = order;
    const std::string message = workspace->run(in, out).message();
    CHECK(message == "");
    const std::string difference = tkl_test::compare(expected, {y.begin(), y.end()}, tolerance);
    CHECK(difference == "");
  }
  cuda_cpu::order = cuda_cpu::thread_order::forward;
}

TEST_CASE("a function, a scale per channel and a tensor behind a product") {
  check<product_shape{50, 72, 70}, tkl::f16>(1, 1e-3);
  check<product_shape{50, 72, 70}, tkl::bf16>(1, 8e-3);
}
TEST_CASE("the same behind the sum of parts") {
  check<product_shape{43, 1032, 131}, tkl::f16>(2, 1e-3);
  check<product_shape{43, 1032, 131}, tkl::bf16>(2, 8e-3);
}

}  // namespace
