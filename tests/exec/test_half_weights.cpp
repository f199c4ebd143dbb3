// SPDX-License-Identifier: Apache-2.0
// Half weights: the bits of the f32 network whose weights were rounded in the file; half the memory; what a file may
// hold, what is refused, packed files, converters, the report.
// tkl-test: levels=base,avx2
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/describe.hpp>
#include <vector>

#include "support/graph_run.hpp"

namespace {

struct model {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 8, 8, 3});
    auto y = tkl::relu(tkl::conv2d(x, g.weight("staged", {20, 3, 3, 3}), g.weight("b", {20}), {.pad = 1}));
    y = tkl::silu(tkl::conv2d(y, g.weight("depthwise", {20, 1, 3, 3}), {.pad = 1, .groups = 20})) + y;
    y = tkl::conv2d(y, g.weight("grouped", {24, 10, 3, 3}), g.weight("c", {24}), {.stride = 2, .pad = 1, .groups = 2});
    y = tkl::conv_transpose2d(y, g.weight("up", {24, 12, 2, 2}), g.weight("d", {12}), {.stride = 2});
    y = tkl::reshape(y, {1, 64, 12}) + g.weight("table", {64, 12});
    y = tkl::matmul(y, g.weight("batched", {1, 12, 40})) * g.weight("scale", {40});
    g.output(tkl::linear(tkl::reduce_mean(y, {1}), g.weight("last", {90, 40}), g.weight("e", {90})));
  }
};
using target = tkl::exact<tkl::cpu<>>;
using full = tkl::compile<model, target>;
using half = tkl::compile<model, tkl::half_weights<target>>;
using brain = tkl::compile<model, tkl::half_weights<target, tkl::bf16>>;
static_assert(half::steps == full::steps && half::arena_bytes == full::arena_bytes);
static_assert(half::weights_bytes == brain::weights_bytes && half::layout_hash != brain::layout_hash);

/// Two products whose biases are few beside their weights.
struct two_products {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::relu(tkl::matmul(g.input("x", tkl::f32, {1, 256}), g.weight("v", {256, 512})));
    g.output(tkl::matmul(x, g.weight("w", {512, 128})));
  }
};
constexpr std::int64_t in_f32 = tkl::compile<two_products, tkl::cpu<>>::weights_bytes,
                       in_f16 = tkl::compile<two_products, tkl::half_weights<tkl::cpu<>>>::weights_bytes;
static_assert(in_f16 == in_f32 / 2 + 2 * (512 + 128), "half of the bytes, and biases that stay f32");

/// The weights file of the model, and the same with all but vectors rounded to T.
template <class T>
std::vector<std::byte> file_of(const tkl::graph& g, float factor = 1) {
  std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto read = tkl::safetensors::from_memory(file);
  for (const auto& t : read->tensors()) {
    if (t.shape.rank < 2) continue;
    std::byte* const data = file.data() + (t.data - file.data());
    for (std::size_t i = 0; i < t.bytes; i += sizeof(float)) {
      float v = 0;
      std::memcpy(&v, data + i, sizeof v);
      v = tkl::to_float(tkl::packed_element<T>(static_cast<double>(v * factor)));
      std::memcpy(data + i, &v, sizeof v);
    }
  }
  return file;
}

tkl::graph graph_of_model() {
  tkl::graph g;
  tkl::build_model<model>(g);
  return g;
}
/// The model with weights declared in another type: for a file that holds them so.
tkl::graph declared_in(tkl::element type) {
  tkl::graph g = graph_of_model();
  for (tkl::node& n : g.nodes)
    if (n.kind == tkl::op_kind::weight && n.shape.rank > 1) n.type = type;
  return g;
}

template <class Net>
tkl::result<Net> loaded(const std::vector<std::byte>& file, const tkl::load_options& options = {}) {
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  return Net::load(*tensors, options);
}

template <class Net>
std::vector<std::byte> output_of(const Net& net) {
  const tkl::graph g = graph_of_model();
  const tkl_test::graph_inputs inputs(g);
  const auto memory = Net::workspace::make();
  REQUIRE(memory.ok());
  std::vector<std::vector<std::byte>> outputs = tkl_test::output_buffers(g);
  void* const to[] = {outputs[0].data()};
  REQUIRE(net.run(*memory, inputs.pointers.data(), to).ok());
  return outputs[0];
}
template <class Net>
std::vector<std::byte> output_with(const std::vector<std::byte>& file) {
  const auto net = loaded<Net>(file);
  const std::string message = net.error().message();
  REQUIRE(message == "");
  return output_of(*net);
}

template <class Net, class T>
void check(tkl::element type, double tolerance) {
  const tkl::graph g = graph_of_model();
  const std::vector<std::byte> exact = tkl_test::random_weights_file(g), got = output_with<Net>(exact);
  CHECK(got == output_with<full>(file_of<T>(g)));
  CHECK(got != output_with<full>(exact));
  CHECK(got == output_with<Net>(tkl_test::random_weights_file(declared_in(type))));
  const auto expected = tkl_test::run_unoptimised(g, tkl_test::graph_inputs(g));
  const std::string difference = tkl_test::compare(expected[0], tkl_test::widened(got, tkl::f32), tolerance);
  CHECK(difference == "");
}

TEST_CASE("the same bits as weights that were rounded in the file") {
  check<half, tkl::half>(tkl::f16, 4.0 / 2048);
  check<brain, tkl::bfloat16>(tkl::bf16, 4.0 / 256);
}

TEST_CASE("weights and tables are narrow, vectors and values are not") {
  for (int i = 0; i < half::steps; ++i) {
    CAPTURE(i);
    const tkl::step& s = half::plan_steps()[i];
    const auto type_of = [](std::int16_t e) { return half::plan_edges()[e].type; };
    CHECK(type_of(s.out) == tkl::f32);
    if (s.weight >= 0) CHECK(type_of(s.weight) == tkl::f16);
    if (s.algorithm == tkl::algorithm::matmul) CHECK(type_of(s.in[1]) == tkl::f16);
  }
  const std::string text = tkl::report<model, tkl::half_weights<target>>();
  for (const char* part :
       {"weights f16, biases f32", "table f16", "batched f16", "scale f32: a vector", "of 16 bits"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("what f16 does not reach is refused, unless the file says infinite") {
  const tkl::graph g = graph_of_model();
  const auto far_off = loaded<half>(file_of<float>(g, 1e6f));
  const std::string message = far_off.error().message();
  CHECK(message.find("tensor 'staged': weight ") == 0);
  CHECK(message.find(" is beyond f16, which ends at 65504") != std::string::npos);
  CHECK(loaded<brain>(file_of<float>(g, 1e6f)).ok());
  CHECK(loaded<half>(file_of<float>(g, 1e38f * 1e38f)).ok());
}

TEST_CASE("a file of 16 bits is for targets that round") {
  const std::vector<std::byte> file = tkl_test::random_weights_file(declared_in(tkl::f16));
  const std::string message = loaded<full>(file).error().message();
  CHECK(message == "tensor 'staged': type F16 in the file, the model has f32");
}

TEST_CASE("packed files belong to one type of weights") {
  const std::string path = std::string(TKL_BUILD_DIR) + "/half_weights." + std::string(target::arch_type::name);
  const auto net = loaded<half>(tkl_test::random_weights_file(graph_of_model()));
  REQUIRE(net.ok());
  REQUIRE(net->save_packed(path.c_str()).ok());
  const auto mapped = half::load(path.c_str());
  REQUIRE(mapped.ok());
  CHECK(output_of(*mapped) == output_of(*net));
  CHECK(net->weights().converter() == "tkl");
  CHECK(mapped->weights().converter().empty());
  const std::string as_bf16 = brain::load(path.c_str()).error().message(),
                    as_f32 = full::load(path.c_str()).error().message();
  CHECK(as_bf16.find("its layout hash differs") != std::string::npos);
  CHECK(as_f32.find("bytes of weights, the model has") != std::string::npos);
}

int runs = 0;

TEST_CASE("a converter of the caller's gives the same bits") {
  const tkl::number_converter own{"own",
                                  [](const tkl::half* from, float* to, std::int64_t n) {
                                    ++runs;
                                    for (std::int64_t i = 0; i < n; ++i) to[i] = tkl::to_float(from[i]);
                                  },
                                  nullptr,
                                  [](const float* from, tkl::half* to, std::int64_t n) {
                                    ++runs;
                                    for (std::int64_t i = 0; i < n; ++i) to[i] = tkl::to_half(from[i]);
                                  },
                                  nullptr};
  for (const auto& file :
       {tkl_test::random_weights_file(graph_of_model()), tkl_test::random_weights_file(declared_in(tkl::f16))}) {
    const auto net = loaded<half>(file, {.converter = &own});
    REQUIRE(net.ok());
    CHECK(net->weights().converter() == "own");
    CHECK(std::memcmp(net->weights().data(), loaded<half>(file)->weights().data(),
                      static_cast<std::size_t>(half::weights_bytes)) == 0);
    CHECK(runs > 6);
    runs = 0;
  }
}

}  // namespace
