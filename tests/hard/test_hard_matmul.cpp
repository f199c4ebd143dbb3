// SPDX-License-Identifier: Apache-2.0
// Matrix products whose results are known exactly: stale output, no depth, no rows or columns, depth tails, an operand
// that is used twice, long sums of half precision.
// tkl-test: timeout=600
#include <tkl/gemm.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f16, tkl::f32, tkl::graph, tkl::value;

namespace {

template <flavour F>
struct products {
  static constexpr void build(graph& g) {
    const value a = g.input("a", f32, {7, 3});
    declare<F>(g, tkl::matmul(a, g.input("b", f32, {3, 5})), "ones");
    declare<F>(g, tkl::matmul(a, g.weight("w", {3, 5})), "packed ones");
    declare<F>(g, tkl::matmul(g.input("tail a", f32, {3, 56}), g.input("tail b", f32, {56, 3})), "tail");
    const value c = g.input("c", f32, {2, 2});
    declare<F>(g, tkl::matmul(c, c), "square");
    const value d = c * 1.0 + 0.0;  // lies in the arena, may not become the product's own place
    declare<F>(g, tkl::matmul(d, d), "square of a result");
  }
};

template <flavour F>
struct empty_products {
  static constexpr void build(graph& g) {
    const value none = g.input("2x0", f32, {2, 0}), low = g.input("0x3", f32, {0, 3}), b = g.input("3x2", f32, {3, 2});
    declare<F>(g, tkl::matmul(none, low), "no depth");
    declare<F>(g, tkl::matmul(low, b), "no rows");
    declare<F>(g, tkl::matmul(b, none), "no columns");
  }
};

template <flavour F>
struct long_sums {
  static constexpr void build(graph& g) {
    const value a = g.input("4096", f16, {1, 4096}), b = g.input("2049", f16, {1, 2049});
    const value long_sum = tkl::matmul(a, a, {.transpose_b = true}), odd_sum = tkl::matmul(b, b, {.transpose_b = true});
    if (F == flavour::unfused) g.output(long_sum, "4096"), g.output(odd_sum, "2049");
    g.output(tkl::relu(long_sum), "relu 4096"), g.output(tkl::relu(odd_sum), "relu 2049");
  }
};

}  // namespace

TEST_CASE("products: stale output, depth tails, an operand used twice") {
  check_flavours<products>({
      .given = {{"a", repeated(21, 1)},
                {"b", repeated(15, 1)},
                {"w", repeated(15, 1)},
                {"tail a", repeated(168, 1)},
                {"tail b", repeated(168, 1)},
                {"c", counting(4)}},
      .results = {{"ones", repeated(35, 3)},
                  {"packed ones", repeated(35, 3)},
                  {"tail", repeated(9, 56)},
                  {"square", {7, 10, 15, 22}},
                  {"square of a result", {7, 10, 15, 22}}},
  });
}

TEST_CASE("products over nothing") {
  check_flavours<empty_products>({
      .given = {{"2x0", {}}, {"0x3", {}}, {"3x2", counting(6)}},
      .results = {{"no depth", repeated(6, 0)}, {"no rows", {}}, {"no columns", {}}},
  });
}

TEST_CASE("long sums of half precision are held in f32 and rounded once") {
  check_flavours<long_sums>({
      .given = {{"4096", repeated(4096, 1)}, {"2049", repeated(2049, 1)}},
      .results = {{"4096", {4096}}, {"2049", {2048}}, {"relu 4096", {4096}}, {"relu 2049", {2048}}},
      .planned = false,
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the CPU alone
TEST_CASE("sums of half precision into a wider tensor, with extents known when the program runs") {
  for (const std::int64_t depth : {4096, 2049}) {
    tkl::tensor<tkl::half, tkl::row_major<tkl::dyn, tkl::dyn>> a(tkl::row_major(1, depth)), b(tkl::row_major(depth, 1));
    for (tkl::half& e : a) e = tkl::to_half(1);
    for (tkl::half& e : b) e = tkl::to_half(1);
    tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn>> y(tkl::row_major(1, 1));
    tkl::tensor<tkl::half, tkl::row_major<tkl::dyn, tkl::dyn>> z(tkl::row_major(1, 1));
    tkl::tensor<std::uint8_t, tkl::row_major<tkl::dyn>> memory(
        tkl::row_major<tkl::dyn>(tkl::scratch_bytes(y, tkl::matmul(a, b))));
    const std::string wide = tkl::assign(tkl::cpu<>(memory), y, tkl::matmul(a, b)).message();
    const std::string narrow = tkl::assign(tkl::cpu<>(memory), z, tkl::matmul(a, b)).message();
    CHECK(wide == "");
    CHECK(narrow == "");
    CHECK(y(0, 0) == static_cast<float>(depth));
    CHECK(tkl::to_float(z(0, 0)) == (depth == 4096 ? 4096.0f : 2048.0f));
  }
}
#endif
