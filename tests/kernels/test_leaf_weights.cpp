// SPDX-License-Identifier: Apache-2.0
// Weights loaded with the loops over Highway are those loaded with the loops of the headers, bit for bit: from a file
// of f32 and from one of f16, to f16 and to bf16.
// tkl-test: libs=leaf,rapidjson
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <tkl/cpu.hpp>
#include <tkl/leaf.hpp>
#include <vector>

#include "support/graph_run.hpp"

namespace {

struct product {
  static constexpr void build(tkl::graph& g) {
    g.output(tkl::linear(g.input("x", tkl::f32, {1, 700}), g.weight("w", {37, 700}), g.weight("b", {37})));
  }
};

template <tkl::element Type>
void check(const std::vector<std::byte>& file) {
  using net = tkl::compile<product, tkl::half_weights<tkl::cpu<>, Type>>;
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto plain = net::load(*tensors), vectors = net::load(*tensors, {.converter = &tkl::leaf::converter()});
  REQUIRE(plain.ok());
  REQUIRE(vectors.ok());
  CHECK(plain->weights().converter() == "tkl");
  CHECK(vectors->weights().converter() == "Highway " + std::string(tkl::leaf::target()));
  CHECK(std::memcmp(plain->weights().data(), vectors->weights().data(), static_cast<std::size_t>(net::weights_bytes)) ==
        0);
}

TEST_CASE("the same bits by either converter") {
  tkl::graph g;
  tkl::build_model<product>(g);
  for (const tkl::element stored : {tkl::f32, tkl::f16, tkl::bf16}) {
    for (tkl::node& n : g.nodes)
      if (n.kind == tkl::op_kind::weight) n.type = stored;
    check<tkl::f16>(tkl_test::random_weights_file(g));
    check<tkl::bf16>(tkl_test::random_weights_file(g));
  }
}

}  // namespace
