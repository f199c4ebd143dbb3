// SPDX-License-Identifier: Apache-2.0
// One model in several shapes on a device: each is right, and they share weights and arena.
#pragma once

#include <string>
#include <vector>

namespace {

template <auto Width>
struct strip {
  static constexpr void build(tkl::graph& g) {
    auto x = tkl::cast(g.input("x", tkl::u8, {1, 6, Width, 3}), tkl::f32) / 255.0;
    x = tkl::relu(tkl::conv2d(x, g.weight("a", {8, 3, 3, 3}), {.stride = 2, .pad = 1}));
    x = tkl::hard_swish(tkl::conv2d(x, g.weight("b", {8, 1, 3, 3}), {.pad = 1, .groups = 8}));
    x = tkl::reshape(tkl::reduce_mean(x, {1}), {1, (Width + 1) / 2, 8});
    g.output(tkl::softmax(tkl::linear(x, g.weight("c", {5, 8}))));
  }
};
using strips = tkl::buckets<strip, tkl_test::device_target, 8, 13, 32>;
static_assert(strips::count == 3 && strips::arena_bytes == strips::model<32>::arena_bytes);

template <int Width>
void check(const strips& model, const strips::workspace& memory, int index) {
  tkl::graph g;
  tkl::build_model<strip<Width>>(g);
  const tkl_test::graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = tkl_test::run_unoptimised(g, inputs);
  std::vector<float> out((Width + 1) / 2 * 5);
  void* const to[] = {out.data()};
  const tkl::status s = model.run(index, memory, inputs.pointers.data(), to);
  REQUIRE_MESSAGE(s.ok(), s.message());
  const std::string difference =
      tkl_test::compare(expected[0], std::vector<double>(out.begin(), out.end()), 2 * tkl_test::tolerance_of(g));
  CHECK(difference == "");
}

TEST_CASE("each shape is right, in any order, in one caller's memory") {
  tkl::graph g;
  tkl::build_model<strip<8>>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto model = strips::load(tkl_test::device(), *tensors);
  REQUIRE_MESSAGE(model.ok(), model.error().message());
  const auto memory = strips::workspace::make(*model);
  REQUIRE_MESSAGE(memory.ok(), memory.error().message());
  for (int round = 0; round < 2; ++round) {
    check<32>(*model, *memory, 2);
    check<8>(*model, *memory, 0);
    check<13>(*model, *memory, 1);
  }
  CHECK(strips::smallest([](int width) { return width >= 10; }) == 1);
  std::vector<std::uint8_t> picture(6 * 13 * 3);
  std::vector<float> out(35);
  std::string message = (*model)(1, *memory, picture, out).message();
  CHECK(message == "");
  message = (*model)(0, *memory, picture, out).message();
  CHECK(message == "input 'x': 234 elements given, the model has 144");
  message = (*model)(3, *memory, picture, out).message();
  CHECK(message == "shape number 3 of a model with 3 shapes");
}

}  // namespace
