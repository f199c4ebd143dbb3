// SPDX-License-Identifier: Apache-2.0
// Sizes whose products leave 32 bits, padding that leaves 64: only the size functions run, nothing is allocated.
// tkl-test: levels=base
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tkl/core/checked.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <tkl/graph/plan_interpreter.hpp>

using tkl::checked, tkl::shape;

TEST_CASE("element counts beyond 32 bits") {
  static_assert(shape{46341, 46341}.elements().value == 2147488281);
  static_assert(shape{131072, 128, 128}.elements().value == 2147483648);
  constexpr tkl::shape_or_complaint product = tkl::matmul_rule({46341, 8}, {8, 46341}, {});
  static_assert(product.out.elements().valid && product.out.elements().value == 2147488281);
  constexpr tkl::conv_rule layer = tkl::conv2d_rule({131072, 128, 128, 1}, {1, 1, 1, 1}, {});
  static_assert(layer.result.ok() && layer.result.out.elements().value == 2147483648);
  static_assert(!shape{std::int64_t{1} << 32, std::int64_t{1} << 31}.elements().valid);
}

TEST_CASE("operands are widened before they are multiplied") {
  constexpr std::int32_t rows = 131073, stride = 32768;
  static_assert((checked(1) + checked(rows - 1) * stride).value == 4294967297);
}

TEST_CASE("an arena and element counts beyond 2^31 are planned in 64 bits") {
  tkl::graph g;
  // Two values of 2^31 elements at once, 4 bytes each, without a byte of memory.
  const tkl::value x = g.input("x", tkl::f32, {131072, 128, 128});
  const tkl::value a = tkl::softmax(x), b = tkl::softmax(a);
  g.output(a + tkl::softmax(b), "y");
  REQUIRE(g.error.empty());
  const tkl::program p = tkl::make_program(std::move(g), tkl::plan_interpreter::facts(),
                                           [](const tkl::step&, const tkl::edge*) { return std::int64_t{0}; });
  const std::string mistake = p.error.c_str();
  CHECK(mistake == "");
  CHECK(p.arena_bytes >= 2 * (std::int64_t{4} << 31));
}

TEST_CASE("extents beyond the numbers of a plan are refused, of inputs and of constants") {
  constexpr std::int64_t large = std::int64_t{1} << 31;
  const auto mistake = [](auto build) {
    tkl::graph g;
    build(g);
    REQUIRE(g.error.empty());
    return std::string(
        tkl::make_program(std::move(g), tkl::plan_interpreter::facts(), [](const tkl::step&, const tkl::edge*) {
          return std::int64_t{0};
        }).error.c_str());
  };
  CHECK(mistake([&](tkl::graph& g) {
          g.output(-g.input("x", tkl::f32, {large}));
        }).find("shape 2147483648 exceeds 2147483647") != std::string::npos);
  CHECK(mistake([&](tkl::graph& g) {
          g.output(g.input("x", tkl::f32, {1}) + g.weight("w", {large}));
        }).find("shape 2147483648 exceeds 2147483647") != std::string::npos);
}

TEST_CASE("absurd padding is refused by name, axis and value") {
  constexpr std::int64_t huge = std::int64_t{1} << 55;
  constexpr tkl::conv_rule all = tkl::conv2d_rule({1, 1, 1, 1}, {1, 1, 1, 1}, {.pad = huge});
  static_assert(!all.result.ok());
  CHECK(std::string(all.result.error.c_str()) ==
        "axis 1 (rows): pad before is 36028797018963968, must be at most 2147483647");
  constexpr tkl::conv_rule right = tkl::conv2d_rule({1, 1, 1, 1}, {1, 1, 1, 1}, {.pad = {0, 0, 0, huge}});
  static_assert(!right.result.ok());
  CHECK(std::string(right.result.error.c_str()) ==
        "axis 2 (columns): pad after is 36028797018963968, must be at most 2147483647");
  constexpr tkl::pool_rule pool = tkl::pool2d_rule({1, 1, 1, 1}, tkl::max_pool2d_params{.kernel = 1, .pad = huge});
  static_assert(!pool.result.ok());
  // Largest paddings are extents; their product is checked.
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  constexpr tkl::conv_rule rows = tkl::conv2d_rule({1, 1, 1, 1}, {1, 1, 1, 1}, {.pad = {largest, 0, largest, 0}});
  static_assert(rows.result.ok() && rows.result.out == shape{1, 2 * largest + 1, 1, 1});
  constexpr tkl::conv_rule both = tkl::conv2d_rule({1, 1, 1, 1}, {1, 1, 1, 1}, {.pad = largest});
  static_assert(!both.result.ok());
  CHECK(std::string(both.result.error.c_str()) ==
        "the result's extents 1x4294967295x4294967295x1 have a product beyond 64 bits");
}
