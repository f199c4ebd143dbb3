// SPDX-License-Identifier: Apache-2.0
// Targets that share addresses: with an operand, or among their own elements; and those that only seem to.
// tkl-test: levels=base,avx2
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <tkl/elementwise.hpp>
#include <tkl/gemm.hpp>
#include <vector>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

axis_steps steps_of(std::initializer_list<std::int64_t> all) {
  axis_steps s;
  int i = 0;
  for (const std::int64_t x : all) s[i++] = x;
  return s;
}
view<float, strided<2>> matrix_at(float* p, std::int64_t rows, std::int64_t columns, std::int64_t row_step,
                                  std::int64_t column_step) {
  return {p, {shape(rows, columns), steps_of({row_step, column_step})}};
}

/// What assigning to a target of these extents and steps says.
std::string said(float* p, std::int64_t rows, std::int64_t columns, std::int64_t row_step, std::int64_t column_step) {
  tensor<float, row_major<dyn, dyn>> x(row_major(rows, columns));
  fill_with(x, 1);
  return message_of(assign(matrix_at(p, rows, columns, row_step, column_step), x + 1));
}

/// Offsets of all elements, one by one.
std::vector<std::int64_t> offsets_of(const shape& extents, const axis_steps& steps) {
  std::vector<std::int64_t> all{0};
  for (int axis = 0; axis < extents.rank; ++axis) {
    std::vector<std::int64_t> longer;
    for (const std::int64_t x : all)
      for (std::int64_t i = 0; i < extents[axis]; ++i) longer.push_back(x + i * steps[axis]);
    all = longer;
  }
  return all;
}

}  // namespace

TEST_CASE("a target whose own elements share an address is refused, with its extents and steps") {
  float memory[64]{};
  CHECK(said(memory, 2, 3, 1, 1) ==
        "assign: the target 2x3 has two elements at one address: its axes step by 1, 1 elements");
  CHECK(said(memory, 4, 8, 7, 1) ==
        "assign: the target 4x8 has two elements at one address: its axes step by 7, 1 elements");
  CHECK(said(memory + 63, 4, 3, -4, 2) ==
        "assign: the target 4x3 has two elements at one address: its axes step by -4, 2 elements");
  CHECK(said(memory, 3, 4, 0, 1) == "assign: the target repeats its elements along axis 0");
  for (const float v : memory) CHECK(v == 0.0f);
  tensor<float, row_major<2, 3>> product, x;
  tensor<float, row_major<3, 3>> w;
  CHECK(message_of(assign(matrix_at(memory, 2, 3, 2, 1), matmul(x, w))) ==
        "matmul: the target 2x3 has two elements at one address: its axes step by 2, 1 elements");
}

TEST_CASE("targets with gaps, in another order, or interleaved in themselves are assigned to") {
  for (const std::int64_t row : {8, -8, 1, 2, 9}) {
    for (const std::int64_t column : {1, -1, 2, 4, 8}) {
      const shape extents(4, 3);
      const axis_steps steps = steps_of({row, column});
      const std::vector<std::int64_t> at = offsets_of(extents, steps);
      const bool apart = std::set<std::int64_t>(at.begin(), at.end()).size() == at.size();
      float memory[96]{};
      CAPTURE(row);
      CAPTURE(column);
      CHECK(said(memory + 48, 4, 3, row, column).empty() == apart);
      for (const std::int64_t i : at) CHECK(memory[48 + i] == (apart ? 2.0f : 0.0f));
    }
  }
  float memory[16]{};
  CHECK(said(memory, 2, 3, 3, 2).empty());  // 0 2 4 and 3 5 7: neither axis encloses the other
  CHECK(said(memory, 1, 5, 0, 1).empty());  // a step of an axis with one element says nothing
  CHECK(said(memory, 5, 1, 1, 1).empty());
}

TEST_CASE("the test of addresses agrees with a list of them") {
  number_source source(5);
  const auto number = [&](int low, int high) {
    return low + static_cast<std::int64_t>(source.next() * 128 + 512) % (high - low + 1);
  };
  const auto random = [&](shape& extents, axis_steps& steps, int axes) {
    for (int i = 0; i < axes; ++i) {
      extents[extents.rank++] = number(1, 4);
      steps[i] = number(-9, 9);
    }
  };
  int alone = 0, apart = 0;
  for (int i = 0; i < 20000; ++i) {
    shape a, b;
    axis_steps s, t;
    random(a, s, static_cast<int>(number(0, 4))), random(b, t, static_cast<int>(number(0, 3)));
    if (i % 2 == 0) t = s;
    const std::vector<std::int64_t> p = offsets_of(a, s), q = offsets_of(b, t);
    const bool own = std::set<std::int64_t>(p.begin(), p.end()).size() == p.size();
    REQUIRE(detail::meets_itself(a, s) == !own);
    alone += own;
    const std::int64_t bytes = number(0, 3) == 0 ? 2 : 4, begin = 1000 + number(-40, 40);
    bool share = false;
    for (const std::int64_t x : p)
      for (const std::int64_t y : q)
        share = share || (1000 + 4 * x < begin + bytes * (y + 1) && begin + bytes * y < 1004 + 4 * x);
    REQUIRE(detail::share_bytes({1000, 4, a, s}, {begin, bytes, b, t}) == share);
    apart += !share;
  }
  CHECK(alone > 2000);
  CHECK(alone < 18000);
  CHECK(apart > 2000);
  CHECK(apart < 18000);
}

TEST_CASE("an operand that is broadcast over the target overlaps it") {
  float memory[16]{};
  const auto y = matrix_at(memory, 2, 4, 8, 1);
  tensor<float, row_major<2, 4>> ones;
  fill_with(ones, 1);
  const auto refused = [&](std::int64_t begin, std::int64_t columns) {
    const view<float, row_major<dyn, dyn>> row(memory + begin, row_major(std::int64_t{1}, columns));
    return message_of(assign(y, ones + row));
  };
  CHECK(refused(8, 4) ==
        "assign: the target (bytes 0 to 48) overlaps operand 2 of the element-wise part (bytes 32 to 48 of the same "
        "memory)");
  CHECK(refused(11, 1) != "");
  CHECK(refused(6, 4) != "");
  CHECK(refused(4, 4) == "");  // in the gap between the rows
  CHECK(refused(5, 1) == "");
  // The same in three axes: the operand has one picture, the target two that lie around it.
  tensor<float, row_major<3, 2, 2>> pictures;
  fill(pictures, 1);
  tensor<float, row_major<2, 2, 2>> none;
  fill_with(none, 0);
  const reals middle = reals_of(slice(pictures, 0, 1, 2));
  CHECK(message_of(assign(slice(pictures, 0, 0, 2), slice(pictures, 0, 1, 2) + none)) != "");
  CHECK(message_of(assign(slice(pictures, 0, 0, to_last, 2), slice(pictures, 0, 1, 2) + none)) == "");
  CHECK(agree(reals_of(slice(pictures, 0, 0, 1)), middle, 0));
  CHECK(agree(reals_of(slice(pictures, 0, 2, 3)), middle, 0));
}

TEST_CASE("extents that are part of the types: slices of one tensor, known to the compiler") {
  tensor<float, row_major<4, 6>> table;
  fill(table, 2);
  const auto odd = slice<slice_params{.axis = 1, .begin = 1, .step = 2}>(table);
  const auto even = slice<slice_params{.axis = 1, .step = 2}>(table);
  const reals before = reals_of(even);
  assign(odd, even * 1);  // columns alternate
  CHECK(agree(reals_of(odd), before, 0));
  assign(even, even + even);  // in place
  reals twice = before;
  for (double& v : twice.values) v *= 2;
  CHECK(agree(reals_of(even), twice, 0));
  tensor<float, row_major<4, 4>> square;
  fill(square, 3);
  const auto lower = slice<slice_params{.axis = 0, .begin = 2}>(slice<slice_params{.axis = 1, .end = 2}>(square));
  const auto upper = slice<slice_params{.axis = 0, .end = 2}>(slice<slice_params{.axis = 1, .begin = 2}>(square));
  const reals wanted = reals_of(transpose(upper, {1, 0}));
  assign(lower, transpose<axis_list{1, 0}>(upper) + 0);
  CHECK(agree(reals_of(lower), wanted, 0));
}

TEST_CASE("alternating rows, columns and fields of one buffer") {
  std::vector<float> memory(96);
  number_source source(8);
  for (float& v : memory) v = source.next();
  const auto even = matrix_at(memory.data(), 4, 5, 12, 2), odd = matrix_at(memory.data() + 1, 4, 5, 12, 2);
  const reals before = reals_of(even);
  CHECK(good(assign(odd, even * 1)));
  CHECK(agree(reals_of(odd), before, 0));
  CHECK(good(assign(transpose(odd, {1, 0}), transpose(even, {1, 0}) * 1)));
  CHECK(!assign(matrix_at(memory.data() + 2, 4, 5, 12, 2), even * 1));
  CHECK(!assign(transpose(matrix_at(memory.data(), 5, 5, 12, 2), {1, 0}), matrix_at(memory.data(), 5, 5, 12, 2) * 1));
  // A record of one f32 and four bytes.
  const view<const std::uint8_t, strided<1>> bytes(reinterpret_cast<const std::uint8_t*>(memory.data()) + 4,
                                                   {shape(8), steps_of({8})});
  const view<float, strided<1>> numbers(memory.data(), {shape(8), steps_of({2})});
  CHECK(good(assign(numbers, bytes + 0)));
  const view<const std::uint8_t, strided<1>> inside(reinterpret_cast<const std::uint8_t*>(memory.data()) + 3,
                                                    {shape(8), steps_of({8})});
  CHECK(!assign(numbers, inside + 0));
}

TEST_CASE("steps beyond what an address can say are a message") {
  float memory[4]{}, other[4]{};
  const view<float, row_major<dyn, dyn>> y(memory, row_major(2, 2));
  CHECK(
      message_of(assign(y, matrix_at(other, 2, 2, huge / 2, 1) + 1)) ==
      "assign: operand 1 of the element-wise part 2x2, whose axes step by 4611686018427387903, 1 elements of 4 bytes, "
      "reaches beyond 64-bit addresses");
  CHECK(message_of(assign(matrix_at(other, 2, 2, huge, 1), y + 1)) ==
        "assign: the target 2x2, whose axes step by 9223372036854775807, 1 elements of 4 bytes, reaches beyond 64-bit "
        "addresses");
  for (const std::int64_t row : {huge, -huge, -huge - 1, huge / 2, huge / 4, -huge / 4, -huge / 8})
    for (const std::int64_t column : {huge, -huge - 1, std::int64_t{1}}) {
      CHECK(!assign(matrix_at(other, 3, 2, row, column), y + 1));
      CHECK(!assign(y, matrix_at(other, 2, 2, row, column) + 1));
    }
  CHECK(message_of(assign(slice(y, 0, 0, 1), slice(matrix_at(other, 3, 2, huge, 1), 0, 2, 3) + 1)) ==
        "operand 1 of the element-wise part: slice: axis 0 of shape 3x2 steps by 9223372036854775807 elements: begin 2 "
        "or step 1 leads beyond 64 bits");
  CHECK(message_of(assign(y, matrix_at(nullptr, 2, 2, huge, 1) + 1)) ==
        "assign: operand 1 of the element-wise part is null, 4 elements expected");
  for (const float v : memory) CHECK(v == 0.0f);
}
