// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <tkl/elementwise.hpp>
#include <tkl/gemm.hpp>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

using matrix = tensor<float, row_major<dyn, dyn>>;

template <class A, class B>
reals expected(const A& a, const B& b, const matmul_params& p = {}) {
  const reals x = reals_of(a), y = reals_of(b);
  reals z = zeros(matmul_rule(x.shape, y.shape, p).out);
  attributes attr;
  attr.transpose_a = p.transpose_a, attr.transpose_b = p.transpose_b;
  matmul_definition(x.in(), y.in(), z.out(), attr);
  return z;
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("products of any extents and orders, next to guard pages") {
  const std::int64_t extents[] = {0, 1, 2, 5, 7, 16, 17, 33};
  std::uint32_t seed = 1;
  for (std::int64_t m : extents)
    for (std::int64_t n : {1, 16, 19})
      for (std::int64_t k : {0, 1, 13, 56}) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        guarded<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
            c(static_cast<std::size_t>(m * n));
        number_source source(++seed);
        for (float& v : a) v = source.next();
        for (float& v : b) v = source.next();
        for (float& v : c) v = not_a_number;
        const view x(a.data(), row_major(m, k)), y(b.data(), row_major(k, n)), z(c.data(), row_major(m, n));
        CHECK(good(assign(z, matmul(x, y))));
        CHECK(agree(reals_of(z), expected(x, y)));
        const view xt(a.data(), row_major(k, m)), yt(b.data(), row_major(n, k));
        CHECK(good(assign(z, matmul(xt, y, {.transpose_a = true}))));
        CHECK(agree(reals_of(z), expected(xt, y, {.transpose_a = true})));
        CHECK(good(assign(z, matmul(x, yt, {.transpose_b = true}))));
        CHECK(agree(reals_of(z), expected(x, yt, {.transpose_b = true})));
        CHECK(good(assign(z, matmul(transpose(xt, {1, 0}), transpose(yt, {1, 0})))));
        CHECK(agree(reals_of(z), expected(xt, yt, {true, true})));
        const auto packed = pack_matrix(y);
        REQUIRE(packed);
        CHECK(good(assign(z, matmul(x, *packed) * 2 - 1)));
        reals want = expected(x, y);
        for (double& v : want.values) v = 2 * v - 1;
        CHECK(agree(reals_of(z), want));
        const auto layer = pack_linear(yt);
        REQUIRE(layer);
        CHECK(good(assign(z, linear(x, *layer))));
        CHECK(agree(reals_of(z), expected(x, yt, {.transpose_b = true})));
      }
}

TEST_CASE("static products: small ones without packing, linear with bias") {
  tensor<float, row_major<7, 13>> a;
  tensor<float, row_major<13, 19>> b;
  tensor<float, row_major<19, 13>> w;
  tensor<float, row_major<19>> bias;
  tensor<float, row_major<7, 19>> c, residual;
  fill(a, 1), fill(b, 2), fill(w, 3), fill(bias, 4), fill(residual, 5);
  static_assert(std::is_void_v<decltype(assign(c, matmul(a, b)))>);
  assign(c, matmul(a, b));
  CHECK(agree(reals_of(c), expected(a, b)));
  assign(c, relu(linear(a, w, bias)) + residual);
  reals want = expected(a, w, {.transpose_b = true});
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double v = want.values[i] + static_cast<double>(bias.data()[i % 19]);
    want.values[i] = (v > 0 ? v : 0) + static_cast<double>(residual.data()[i]);
  }
  CHECK(agree(reals_of(c), want));
  const auto packed = pack_linear(w, bias);
  REQUIRE(packed);
  assign(c, relu(linear(a, *packed)) + residual);
  CHECK(agree(reals_of(c), want));
  constexpr gemm_schedule schedule{.mr = 2, .nr = 1, .kc = 8, .mc = 4, .nc = 64};
  assign<schedule>(cpu<>{}, c, matmul(a, b));
  CHECK(agree(reals_of(c), expected(a, b)));
}

TEST_CASE("batches broadcast, several workers give the same bits") {
  tensor<float, row_major<2, 1, 5, 11>> a;
  tensor<float, row_major<3, 11, 18>> b;
  tensor<float, row_major<2, 3, 5, 18>> c, d;
  fill(a, 1), fill(b, 2);
  assign(c, matmul(a, b));
  CHECK(agree(reals_of(c), expected(a, b)));
  CHECK(good(assign(cpu<arch::native, three_parts>{}, d, matmul(a, b, {}))));
  CHECK(agree(reals_of(d), reals_of(c), 0));
  tensor<half, row_major<2, 3, 4>> x;
  tensor<bfloat16, row_major<4, 5>> w;
  tensor<half, row_major<2, 3, 5>> y;
  fill(x, 3), fill(w, 4);
  assign(y, matmul(x, w));
  CHECK(agree(reals_of(y), expected(x, w), 1e-3));
}

TEST_CASE("a large product packs its second operand into the caller's memory") {
  // The first operand exceeds half of every second-level cache that arch/ names.
  matrix a(row_major(150, 1200)), b(row_major(1200, 50)), c(row_major(150, 50));
  fill(a, 1), fill(b, 2);
  const std::int64_t bytes = scratch_bytes(c, matmul(a, b));
  CHECK(bytes > stack_scratch_bytes);
  CHECK(message_of(assign(c, matmul(a, b, {}))).find("assign: the kernel needs ") == 0);
  tensor<std::uint8_t, row_major<dyn>> memory(row_major<dyn>{bytes});
  CHECK(good(assign(cpu<>(memory), c, matmul(a, b, {}))));
  CHECK(agree(reals_of(c), expected(a, b), 1e-4));
  scratch_memory shifted(reinterpret_cast<std::byte*>(memory.data()) + 4, bytes);
  CHECK(message_of(assign(cpu<>(shifted), c, matmul(a, b, {}))) ==
        "assign: the scratch memory begins 4 bytes past a multiple of 64");
}

TEST_CASE("gemm: what a factor of zero leaves out is not read") {
  for (std::int64_t m = 1; m <= 20; ++m) {
    const std::int64_t n = 21 - m;
    matrix a(row_major(m, 3)), b(row_major(3, n)), c(row_major(m, n));
    fill_with(a, 1), fill_with(b, 1);
    for (float stale : {not_a_number, std::numeric_limits<float>::infinity()}) {
      fill_with(c, stale);
      CHECK(good(assign(c, gemm(a, b, c, {.alpha = 1, .beta = 0}))));
      bool right = true;
      for (float v : c) right = right && v == 3.0f;
      CHECK(right);
    }
    a(0, 0) = not_a_number;
    fill_with(c, 5);
    CHECK(good(assign(c, gemm(a, b, c, {.alpha = 0, .beta = 2}))));
    bool right = true;
    for (float v : c) right = right && v == 10.0f;
    CHECK(right);
    CHECK(good(assign(c, gemm(a, b, {.alpha = 0}))));
    for (float v : c) right = right && v == 0.0f;
    CHECK(right);
  }
  tensor<float, row_major<2, 2>> a, b, c;
  fill_with(a, 1), fill_with(b, 1);
  a(1, 0) = not_a_number;
  for (int i = 0; i < 4; ++i) c.data()[i] = static_cast<float>(i + 1);
  assign(c, gemm<gemm_params{.alpha = 0, .beta = 2}>(a, b, c));
  CHECK(holds(c, {2, 4, 6, 8}));
  a(1, 0) = 1;
  assign(c, gemm<gemm_params{.alpha = 0.5, .beta = 1}>(a, b, c));
  CHECK(holds(c, {3, 5, 7, 9}));
  assign(c, relu(gemm<gemm_params{.alpha = -1}>(a, b)) + 1);
  CHECK(holds(c, {1, 1, 1, 1}));
  assign(c, gemm(a, b));
  CHECK(holds(c, {2, 2, 2, 2}));
  // No depth: the sum is 0.
  tensor<float, row_major<2, 0>> none;
  tensor<float, row_major<0, 3>> empty;
  tensor<float, row_major<2, 3>> z;
  fill_with(z, 5);
  assign(z, gemm<gemm_params{.alpha = 1, .beta = 2}>(none, empty, z));
  CHECK(holds(z, {10, 10, 10, 10, 10, 10}));
  assign(z, matmul(none, empty));
  CHECK(holds(z, {0, 0, 0, 0, 0, 0}));
  // c broadcasts like any operand.
  tensor<float, row_major<2>> row;
  row(0) = 1, row(1) = 2;
  assign(c, gemm<gemm_params{.alpha = 1, .beta = 10}>(a, b, row));
  CHECK(holds(c, {12, 22, 12, 22}));
}

TEST_CASE("a product never replaces its own operand") {
  tensor<float, row_major<dyn, dyn>> c(row_major(2, 2)), other(row_major(2, 2));
  for (int i = 0; i < 4; ++i) c.data()[i] = static_cast<float>(i + 1);
  fill_with(other, 1);
  const char* expected_message =
      "matmul: the target (bytes 0 to 16) overlaps first operand (bytes 0 to 16 of the same memory)";
  CHECK(message_of(assign(c, matmul(c, c))) == expected_message);
  CHECK(message_of(assign(c, matmul(c, other))) == expected_message);
  CHECK(!assign(c, matmul(other, c)));
  CHECK(!assign(c, gemm(other, other, transpose(c, {1, 0}), {.beta = 1})));
  CHECK(holds(c, {1, 2, 3, 4}));
  CHECK(good(assign(other, matmul(c, c))));
  CHECK(holds(other, {7, 10, 15, 22}));
}

TEST_CASE("mistakes in products are messages with both values") {
  matrix a(row_major(2, 3)), b(row_major(4, 5)), c(row_major(2, 5));
  CHECK(message_of(assign(c, matmul(a, b))) ==
        "matmul: inner extents differ: first operand 2x3 has 3, second operand 4x5 has 4");
  CHECK(message_of(assign(c, matmul(slice(a, 1, 0, 2), slice(b, 0, 0, 2)))).empty());
  CHECK(message_of(assign(a, matmul(slice(a, 1, 0, 2), slice(b, 0, 0, 2)))) ==
        "matmul: the target has shape 2x3, the result 2x5");
  CHECK(message_of(assign(c, gemm(a, slice(b, 0, 0, 3), {.beta = 1}))) == "gemm: beta is not 0, but there is no c");
  matrix wide(row_major(4, 6));
  CHECK(message_of(assign(c, matmul(slice(wide, 1, 0, 6, 2), slice(b, 0, 0, 3)))) ==
        "matmul: the target has shape 2x5, the result 4x5");
  matrix four(row_major(4, 5));
  CHECK(message_of(assign(four, matmul(slice(wide, 1, 0, 6, 2), slice(b, 0, 0, 3)))) ==
        "matmul: first operand: neither its rows nor its columns are neighbours in memory");
}
