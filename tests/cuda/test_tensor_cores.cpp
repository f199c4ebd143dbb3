// SPDX-License-Identifier: Apache-2.0
// Contractions in tensor cores on the simulated GPU: tiles and their rests, taps, groups, epilogues; both precisions;
// steps that do not suit are run by work items.
// tkl-test: sanitize=alignment
#include <string>

#include "support/cuda_tile_run.hpp"

namespace {

using tkl::cuda_product;

struct shape_of_conv {
  int batch, rows, columns, in, out, kernel, stride, pad, dilation, groups;
};

/// A convolution with a residual and a function behind it.
template <shape_of_conv S>
struct convolution {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {S.batch, S.rows, S.columns, S.in});
    const auto y = tkl::conv2d(x, g.weight("w", {S.out, S.in / S.groups, S.kernel, S.kernel}), g.weight("b", {S.out}),
                               {.stride = S.stride, .pad = S.pad, .dilation = S.dilation, .groups = S.groups});
    g.output(tkl::silu(y) + g.input("residual", tkl::f32, y.shape()));
  }
};

template <class Model, cuda_product P>
tkl_test::tile_difference run() {
  return tkl_test::compare_tiles<Model, tkl::cuda<tkl::arch::sm_80, P>>();
}

template <class Model>
void check(bool tiles) {
  const auto once = run<Model, cuda_product::rounded>(), thrice = run<Model, cuda_product::split>();
  CHECK(once.error == "");
  CHECK(thrice.error == "");
  CHECK((once.shared > 0) == tiles);
  CHECK((thrice.shared > 0) == tiles);
  CHECK(once.largest <= 2e-3);  // two factors with errors of 2^-11
  CHECK(thrice.largest <= 4e-6);
  if (tiles) CHECK(once.largest > thrice.largest);
}

TEST_CASE("one tap: rows and columns beyond the tile") {
  check<convolution<shape_of_conv{1, 8, 8, 32, 64, 1, 1, 0, 1, 1}>>(true);
  check<convolution<shape_of_conv{2, 7, 11, 36, 70, 1, 1, 0, 1, 1}>>(true);
  check<convolution<shape_of_conv{1, 3, 3, 4, 1, 1, 1, 0, 1, 1}>>(true);
}
TEST_CASE("taps, borders, strides, dilation") {
  check<convolution<shape_of_conv{2, 9, 7, 8, 24, 3, 1, 1, 1, 1}>>(true);
  check<convolution<shape_of_conv{1, 11, 13, 20, 67, 3, 2, 1, 1, 1}>>(true);
  check<convolution<shape_of_conv{1, 9, 9, 4, 6, 5, 1, 4, 2, 1}>>(true);
}
TEST_CASE("groups") {
  check<convolution<shape_of_conv{1, 6, 5, 24, 30, 3, 1, 1, 1, 3}>>(true);
}
TEST_CASE("channels that are no multiple of four are left to work items") {
  check<convolution<shape_of_conv{1, 6, 5, 6, 8, 3, 1, 1, 1, 1}>>(false);
}

/// The same with an input of 16 bits.
template <tkl::element Type, shape_of_conv S>
struct short_convolution {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::cast(g.input("x", tkl::f32, {S.batch, S.rows, S.columns, S.in}), Type);
    const auto w = g.weight("w", {S.out, S.in / S.groups, S.kernel, S.kernel}, Type);
    const auto y = tkl::conv2d(x, w, g.weight("b", {S.out}, Type),
                               {.stride = S.stride, .pad = S.pad, .dilation = S.dilation, .groups = S.groups});
    g.output(tkl::relu(tkl::cast(y, tkl::f32)));
  }
};
template <class Model>
void check_short(double tolerance, bool tiles) {
  const auto once = run<Model, cuda_product::rounded>(), in_f32 = run<Model, cuda_product::split>();
  CHECK(once.error == "");
  CHECK((once.shared > 0) == tiles);
  CHECK(once.largest <= tolerance);
  CHECK(in_f32.error == "");
  CHECK(in_f32.shared == 0);
  CHECK(in_f32.largest <= tolerance);
}
TEST_CASE("inputs of 16 bits") {
  constexpr shape_of_conv one{2, 7, 11, 72, 70, 1, 1, 0, 1, 1}, nine{1, 9, 8, 24, 33, 3, 2, 1, 1, 3},
      odd{1, 5, 5, 12, 8, 3, 1, 1, 1, 1};
  check_short<short_convolution<tkl::f16, one>>(2e-3, true);
  check_short<short_convolution<tkl::f16, nine>>(2e-3, true);
  check_short<short_convolution<tkl::bf16, nine>>(2e-2, true);
  check_short<short_convolution<tkl::f16, odd>>(2e-3, false);
}

struct product {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {3, 50, 40});
    g.output(tkl::gelu(tkl::linear(x, g.weight("w", {33, 40}), g.weight("b", {33}))));
  }
};
TEST_CASE("products with constant weights") {
  check<product>(true);
}

TEST_CASE("an input that begins at no multiple of 16 bytes is left to work items") {
  using net = tkl::compile<product, tkl::cuda<tkl::arch::sm_80, cuda_product::rounded>>;
  tkl::graph g;
  tkl::build_model<product>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  const auto model = net::load(tkl_test::device(), *tensors);
  REQUIRE(model.ok());
  auto workspace = net::workspace::make(*model);
  REQUIRE(workspace.ok());
  const tkl_test::graph_inputs inputs(g);
  const auto memory = tkl_test::device_memory(nullptr, 3 * 50 * 40 * 4 + 4);
  std::copy(inputs.bytes[0].begin(), inputs.bytes[0].end(), memory.data() + 4);
  cuda_cpu::sim().shared_used = 0;
  const std::string message = workspace->use_input(0, memory.data() + 4).message();
  CHECK(message == "");
  CHECK(cuda_cpu::sim().shared_used == 0);
  std::vector<std::vector<std::byte>> outputs = tkl_test::output_buffers(g);
  void* out[] = {outputs[0].data()};
  CHECK(workspace->run(nullptr, out).ok());
  const auto expected = tkl_test::run_unoptimised(g, inputs);
  CHECK(tkl_test::compare(expected[0], tkl_test::widened(outputs[0], tkl::f32), 4e-4) == "");
}

}  // namespace
