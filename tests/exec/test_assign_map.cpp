// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <tkl/elementwise.hpp>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

TEST_CASE("operands broadcast to the result, static extents") {
  tensor<float, row_major<2, 3>> x, y;
  for (int i = 0; i < 6; ++i) x.begin()[i] = static_cast<float>(i + 1);
  tensor<float, row_major<1, 3>> row;
  tensor<float, row_major<3>> vector;
  tensor<float, row_major<2, 1>> column;
  tensor<float, row_major<>> number;
  for (int i = 0; i < 3; ++i) row(0, i) = vector(i) = static_cast<float>(10 * (i + 1));
  column(0, 0) = 100, column(1, 0) = 200;
  *number.data() = 7;
  static_assert(std::is_void_v<decltype(assign(y, x + row))>);
  assign(y, x + row);
  CHECK(holds(y, {11, 22, 33, 14, 25, 36}));
  assign(y, vector + x);
  CHECK(holds(y, {11, 22, 33, 14, 25, 36}));
  assign(y, x + channel(vector));
  CHECK(holds(y, {11, 22, 33, 14, 25, 36}));
  assign(y, column + row);
  CHECK(holds(y, {110, 120, 130, 210, 220, 230}));
  assign(y, x + number);
  CHECK(holds(y, {8, 9, 10, 11, 12, 13}));
  assign(y, 1 - x * 2.0);
  CHECK(holds(y, {-1, -3, -5, -7, -9, -11}));
  assign(y, -x);
  CHECK(holds(y, {-1, -2, -3, -4, -5, -6}));
  assign(y, clip(x, 2, column / 50));
  CHECK(holds(y, {2, 2, 2, 4, 4, 4}));
  const tensor<float, row_major<2, 3>>& constant = x;
  assign(y, tkl::select(greater(constant, 3.5f), constant, 0));
  CHECK(holds(y, {0, 0, 0, 4, 5, 6}));
}

TEST_CASE("operands broadcast to the result, dynamic extents, all vector tails, gaps and guard pages") {
  for (std::int64_t n = 0; n <= 35; ++n)
    for (std::int64_t rows : {1, 3}) {
      const std::size_t cells = static_cast<std::size_t>(rows * n);
      guarded<float> a(cells), b(static_cast<std::size_t>(n)), c(static_cast<std::size_t>(rows)), y(cells);
      for (std::size_t i = 0; i < cells; ++i) a[i] = static_cast<float>(i);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(100 * i);
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(10000 * i);
      const view x(a.data(), row_major(rows, n)), to(y.data(), row_major(rows, n));
      const view vector(b.data(), row_major(n));
      const view column(c.data(), row_major(rows, 1));
      CHECK(good(assign(to, x + vector + column)));
      bool right = true;
      for (std::size_t i = 0; i < cells; ++i)
        right = right && y[i] == a[i] + b[i % static_cast<std::size_t>(n)] + c[i / static_cast<std::size_t>(n)];
      CHECK(right);
    }
}

TEST_CASE("static and dynamic extents, one and several workers give the same bits") {
  tensor<float, nhwc<2, 3, 5, 19>> x, fixed;
  fill(x, 1);
  const view loose(x.data(), nhwc(2, 3, 5, 19));
  tensor<float, nhwc<>> y(nhwc(2, 3, 5, 19)), z(nhwc(2, 3, 5, 19));
  assign(fixed, gelu(x) * sigmoid(x));
  CHECK(good(assign(y, gelu(loose) * sigmoid(loose))));
  CHECK(good(assign(cpu<arch::native, three_parts>{}, z, gelu(loose) * sigmoid(loose))));
  CHECK(agree(reals_of(y), reals_of(fixed), 0));
  CHECK(agree(reals_of(z), reals_of(fixed), 0));
}

TEST_CASE("a target of another shape than the result is refused") {
  tensor<float, row_major<dyn>> y(row_major<dyn>(2)), x(row_major<dyn>(2));
  tensor<float, row_major<dyn, dyn>> ones(row_major(2, 2));
  fill_with(ones, 1);
  status s = assign(y, x + ones);
  CHECK(message_of(s) == "assign: the target has shape 2, the result 2x2");
  s = assign(x, x + ones);
  CHECK(message_of(s) == "assign: the target has shape 2, the result 2x2");
  CHECK(holds(y, {0, 0}));
  tensor<float, row_major<dyn, dyn>> other(row_major(3, 2)), z(row_major(3, 2));
  s = assign(z, ones * other);
  CHECK(message_of(s) == "shapes 2x2 and 3x2 do not broadcast: axis 0 has 2 and 3");
  const std::vector<float> three(3);
  s = assign(z, other + channel(three));
  CHECK(message_of(s) == "channel: 3 values, the result 3x2 has 2 channels");
}

TEST_CASE("an element-wise expression may replace its own operand, element for element") {
  tensor<float, row_major<19>> x;
  fill_with(x, 2);
  assign(x, x * sigmoid(x));
  for (float v : x) CHECK(v == doctest::Approx(1.7615942));
  fill_with(x, 2);
  assign(x, x * x);
  for (float v : x) CHECK(v == 4.0f);
  assign(x, x);
  for (float v : x) CHECK(v == 4.0f);
}

TEST_CASE("a target that overlaps an operand elsewhere is refused, and both ranges are named") {
  tensor<float, row_major<16>> memory;
  fill(memory, 3);
  const reals before = reals_of(memory);
  const view x(memory.data(), row_major<dyn>(8)), y(memory.data() + 4, row_major<dyn>(8));
  status s = assign(y, x + 1);
  CHECK(message_of(s) ==
        "assign: the target (bytes 0 to 32) overlaps operand 1 of the element-wise part (bytes -16 to 16 of the same "
        "memory)");
  s = assign(flip(x, 0), x);
  CHECK(!s);
  s = assign(view(memory.data(), row_major(2, 4)), view(memory.data(), row_major(1, 4)) * 2);
  CHECK(!s);
  CHECK(agree(reals_of(memory), before, 0));
  // Parts of the same rows share no element.
  tensor<float, row_major<4, 8>> table;
  fill(table, 4);
  const reals left = reals_of(slice(table, 1, 0, 3));
  CHECK(good(assign(slice(table, 1, 3, 6), slice(table, 1, 0, 3))));
  CHECK(agree(reals_of(slice(table, 1, 3, 6)), left, 0));
  CHECK(!assign(slice(table, 1, 2, 5), slice(table, 1, 0, 3)));
}

TEST_CASE("slices follow NumPy, negative steps included") {
  tensor<float, row_major<5>> x;
  for (int i = 0; i < 5; ++i) x(i) = static_cast<float>(i);
  tensor<float, row_major<0>> none;
  tensor<float, row_major<4>> four;
  tensor<float, row_major<2>> two;
  CHECK(good(assign(none, slice(x, 0, 0, 5, -1))));
  CHECK(good(assign(four, slice(x, 0, -1, -5, -1))));
  CHECK(holds(four, {4, 3, 2, 1}));
  CHECK(good(assign(two, slice(x, 0, 3, 0, -2))));
  CHECK(holds(two, {3, 1}));
  CHECK(good(assign(two, slice(x, 0, 1, to_last, 3))));
  CHECK(holds(two, {1, 4}));
  assign(two, slice<slice_params{.axis = 0, .begin = 1, .step = 3}>(x) * 10);
  CHECK(holds(two, {10, 40}));
  tensor<float, row_major<5>> y;
  CHECK(good(assign(y, flip(x, 0) + x)));
  CHECK(holds(y, {4, 4, 4, 4, 4}));
  CHECK(message_of(assign(y, slice(x, 1, 0, 5))) ==
        "operand 1 of the element-wise part: slice: axis 1 is out of range for shape 5 with 1 axes");
}

TEST_CASE("permutations, new shapes, planes") {
  tensor<float, row_major<2, 3>> x;
  for (int i = 0; i < 6; ++i) x.begin()[i] = static_cast<float>(i);
  tensor<float, row_major<3, 2>> y;
  assign(y, transpose<axis_list{1, 0}>(x));
  CHECK(holds(y, {0, 3, 1, 4, 2, 5}));
  CHECK(good(assign(y, transpose(x, {1, 0}) + 1)));
  CHECK(holds(y, {1, 4, 2, 5, 3, 6}));
  assign(y, reshape<3, -1>(x));
  CHECK(holds(y, {0, 1, 2, 3, 4, 5}));
  CHECK(good(assign(reshape(y, {6}), flip(reshape(x, {-1}), 0))));
  CHECK(holds(y, {5, 4, 3, 2, 1, 0}));
  CHECK(message_of(assign(y, reshape(transpose(x, {1, 0}), {3, 2}))) ==
        "operand 1 of the element-wise part: reshape: the input 3x2 is not in row-major order without gaps: axis 0 "
        "steps by 1 "
        "elements, not 2");
  CHECK(!assign(y, reshape(x, {4, 2})));

  tensor<float, nhwc<2, 3, 5, 7>> pixels, back;
  tensor<float, nchw<2, 7, 3, 5>> planes;
  fill(pixels, 5);
  assign(planes, pixels);
  CHECK(planes(1, 2, 4, 6) == pixels(1, 2, 4, 6));
  CHECK(planes.data()[1] == pixels(0, 0, 1, 0));
  CHECK(agree(reals_of(planes), reals_of(pixels), 0));
  assign(back, planes * 2);
  CHECK(back(1, 2, 4, 6) == 2 * pixels(1, 2, 4, 6));
  CHECK(agree(reals_of(pixels), reals_of(planes), 0));
}

TEST_CASE("concatenation, empty parts included, inside an expression") {
  tensor<float, row_major<dyn>> none(row_major<dyn>(0)), two(row_major<dyn>(2)), y(row_major<dyn>(2));
  two(0) = 1, two(1) = 2;
  CHECK(good(assign(y, concat(0, none, two))));
  CHECK(holds(y, {1, 2}));
  CHECK(good(assign(y, concat(0, two, none) * 3)));
  CHECK(holds(y, {3, 6}));
  CHECK(good(assign(none, concat(0, none, none))));
  tensor<float, row_major<2, 0>> left;
  tensor<float, row_major<0, 3>> top;
  tensor<float, row_major<2, 3>> x, z;
  fill(x, 6);
  assign(z, concat<concat_params{1}>(left, x));
  CHECK(agree(reals_of(z), reals_of(x), 0));
  assign(z, concat<concat_params{0}>(top, x));
  CHECK(agree(reals_of(z), reals_of(x), 0));

  tensor<float, nhwc<2, 3, 2, 5>> a;
  tensor<float, nhwc<2, 3, 2, 20>> b;
  tensor<float, nhwc<2, 3, 2, 25>> both, residual;
  tensor<float, row_major<25>> bias;
  fill(a, 7), fill(b, 8), fill(residual, 9), fill(bias, 10);
  assign(both, relu(concat<concat_params{-1}>(a, b) + channel(bias)) + residual);
  bool right = true;
  for (int n = 0; n < 2; ++n)
    for (int h = 0; h < 3; ++h)
      for (int w = 0; w < 2; ++w)
        for (int c = 0; c < 25; ++c) {
          const float v = (c < 5 ? a(n, h, w, c) : b(n, h, w, c - 5)) + bias(c);
          right = right && both(n, h, w, c) == (v > 0 ? v : 0) + residual(n, h, w, c);
        }
  CHECK(right);
  tensor<float, nhwc<2, 9, 2, 5>> rows;
  CHECK(good(assign(rows, concat(1, a, a, a) - 1)));
  CHECK(rows(1, 7, 1, 4) == a(1, 1, 1, 4) - 1);
}

TEST_CASE("element types: exact copies, widening, narrowing with rounding to even and saturation") {
  tensor<half, row_major<37>> h;
  tensor<bfloat16, row_major<37>> b;
  tensor<float, row_major<37>> f, g;
  fill(f, 11);
  f(0) = std::numeric_limits<float>::infinity(), f(1) = std::numeric_limits<float>::quiet_NaN(), f(2) = -0.0f;
  assign(h, f);
  assign(g, h);
  CHECK(agree(reals_of(g), reals_of(f), 0));
  assign(b, f);
  assign(f, b + b);
  CHECK(agree(reals_of(f), reals_of(f), 0));
  tensor<std::uint8_t, row_major<6>> u;
  tensor<std::int32_t, row_major<6>> i, j;
  tensor<float, row_major<6>> x;
  const float values[] = {-3, 0.5f, 1.5f, 254.5f, 300, std::numeric_limits<float>::quiet_NaN()};
  for (int k = 0; k < 6; ++k) x(k) = values[k];
  assign(u, x);
  CHECK(holds(u, {0, 0, 2, 254, 255, 0}));
  assign(x, u / 2);
  CHECK(holds(x, {0, 0, 1, 127, 127.5, 0}));
  i(0) = 16777217;  // not a float
  assign(j, i);
  CHECK(j(0) == 16777217);
}

TEST_CASE("nothing to do") {
  tensor<float, row_major<0, 4>> x, y;
  assign(y, x + 1);
  tensor<float, row_major<dyn, dyn>> a(row_major(0, 4)), b(row_major(0, 4));
  CHECK(good(assign(b, a + 1)));
}
