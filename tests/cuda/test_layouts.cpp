// SPDX-License-Identifier: Apache-2.0
// The register layouts of the simulated tensor cores against those that Nvidia's CuTe states in the traits of the
// instructions (CUTLASS, include/cute/atom/mma_traits_sm80.hpp and copy_traits_sm75.hpp).
//
// A layout there sends (thread, value) to an element. In the notation of this file a number is cut into mixed-radix
// digits, the fastest first, and each digit counts its step, so that {{4, 32}, {8, 1}} sends thread t + 4 g to 32 t +
// g. Thread and value add up to a column-major place, row + rows * column; the rows of the second operand are its
// columns.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <vector>

namespace {

struct digit {
  unsigned size, step;
};
using digits = std::vector<digit>;
unsigned place(const digits& layout, unsigned number) {
  unsigned sum = 0;
  for (const auto [size, step] : layout) {
    sum += number % size * step;
    number /= size;
  }
  return sum;
}
struct layout {
  unsigned rows;
  digits thread, value;
  unsigned at(unsigned t, unsigned v) const { return place(thread, t) + place(value, v); }
  unsigned row(unsigned t, unsigned v) const { return at(t, v) % rows; }
  unsigned column(unsigned t, unsigned v) const { return at(t, v) / rows; }
};

template <unsigned K>
void check_product(const layout& a, const layout& b) {
  constexpr unsigned e = K / 8;
  for (unsigned t = 0; t < 32; ++t) {
    for (unsigned v = 0; v < 4 * e; ++v) {
      const auto p = cuda_cpu::place_in_a<K>(a.row(t, v), a.column(t, v));
      CHECK((p.lane == t && p.word == v / e && p.part == v % e));
    }
    for (unsigned v = 0; v < 2 * e; ++v) {
      const auto p = cuda_cpu::place_in_b<K>(b.column(t, v), b.row(t, v));
      CHECK((p.lane == t && p.word == v / e && p.part == v % e));
    }
  }
}

TEST_CASE("operands of m16n8k8 in tf32") {
  check_product<8>({16, {{4, 16}, {8, 1}}, {{2, 8}, {2, 64}}}, {8, {{4, 8}, {8, 1}}, {{2, 32}}});
}
TEST_CASE("operands of m16n8k16 in 16 bits") {
  check_product<16>({16, {{4, 32}, {8, 1}}, {{2, 16}, {2, 8}, {2, 128}}}, {8, {{4, 16}, {8, 1}}, {{2, 8}, {2, 64}}});
}
TEST_CASE("sums") {
  const layout d{16, {{4, 32}, {8, 1}}, {{2, 16}, {2, 8}}};
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned i = 0; i < 4; ++i) {
      CHECK(cuda_cpu::row_of_result(t, i) == d.row(t, i));
      CHECK(cuda_cpu::column_of_result(t, i) == d.column(t, i));
    }
}

alignas(16) std::uint16_t rows[32][8];
TEST_CASE("loads of four matrices") {
  // Bits of a matrix: 128 for a row of eight elements, 1024 for a matrix; thread t gets 32 bits of each matrix.
  const layout m{1, {{32, 32}}, {{32, 1}, {4, 1024}}};
  for (unsigned r = 0; r < 32; ++r)
    for (unsigned c = 0; c < 8; ++c) rows[r][c] = static_cast<std::uint16_t>(8 * r + c);
  int wrong = 0;
  cuda_cpu::running().run({1}, {32}, {0, 0, 0}, 0, [&] {
    const unsigned lane = threadIdx.x;
    std::uint32_t words[4];
    cuda_cpu::load_matrices(words, rows[lane]);
    for (unsigned v = 0; v < 8; ++v) wrong += (words[v / 2] >> 16 * (v % 2) & 0xffff) != m.at(lane, 16 * v) / 16;
  });
  CHECK(wrong == 0);
}

}  // namespace
