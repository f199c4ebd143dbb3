// SPDX-License-Identifier: Apache-2.0
// Layouts of warpgroups: tiles of operands and their descriptors, packed weights as tiles, the order of blocks, the
// registers of sums against those that Nvidia's CuTe states (CUTLASS, include/cute/atom/mma_traits_sm90_gmma.hpp).
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <set>
#include <tkl/exec/cuda_weight_tiles.hpp>
#include <utility>
#include <vector>

namespace {

TEST_CASE("a descriptor") {
  constexpr std::uint64_t d = tkl::tile_descriptor(0x2a400);
  static_assert((d & 0x3fff) == 0x2a40);    // bits 0 to 13: the address in units of 16 bytes
  static_assert((d >> 16 & 0x3fff) == 1);   // 16 to 29: not used with this swizzle
  static_assert((d >> 32 & 0x3fff) == 64);  // 32 to 45: 1024 bytes from 8 lines to the next
  static_assert((d >> 49 & 7) == 0);        // 49 to 51: the pattern of vectors begins at the address
  static_assert(d >> 62 == 1);              // 62, 63: the swizzle of 128 bytes
  static_assert((tkl::tile_descriptor(0x2a400 + 64) - d) == 4);
}

TEST_CASE("every byte of a tile has a place of its own, where the instruction looks for it") {
  constexpr std::uint32_t start = 0x3000;
  std::set<std::int32_t> places;
  int wrong = 0;
  for (int line = 0; line < 24; ++line)
    for (int byte = 0; byte < 128; ++byte) {
      places.insert(tkl::byte_of_tile(line, byte));
      // 32 bytes of the depth are one instruction; its descriptor begins further on.
      const std::uint64_t d = tkl::tile_descriptor(start) + static_cast<std::uint64_t>(byte / 32 * 2);
      const std::uint32_t at = cuda_cpu::address_of(d, static_cast<unsigned>(line), static_cast<unsigned>(byte % 32));
      wrong += at != start + static_cast<std::uint32_t>(tkl::byte_of_tile(line, byte));
    }
  CHECK(wrong == 0);
  CHECK(places.size() == 24 * 128);
  CHECK(*places.rbegin() == 24 * 128 - 1);
}

TEST_CASE("sums") {
  // CuTe's CLayout_64xN: thread (4, 8, 4) by (128, 1, 16), value (2, 2, N / 8) by (64, 8, 512); row + 64 column.
  int wrong = 0;
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < 128; ++i) {
      const unsigned at = t % 4 * 128 + t / 4 % 8 + t / 32 * 16 + i % 2 * 64 + i / 2 % 2 * 8 + i / 4 * 512;
      wrong += cuda_cpu::row_of_sum(t, i) != at % 64 || cuda_cpu::column_of_sum(t, i) != at / 64;
    }
  CHECK(wrong == 0);
}

TEST_CASE("packed weights as tiles") {
  constexpr tkl::ring_schedule schedule{.rows = 64, .columns = 64};
  constexpr tkl::tile_contraction c{.places = 1, .columns = 70, .depth = 72, .taps = 3, .groups = 2};
  const auto number = [](std::int64_t g, std::int64_t k, std::int64_t n) {
    return static_cast<float>(g * 16000 + k * 70 + n) / 4096;  // 15 bits: bf16 rounds them
  };
  std::vector<float> panels(static_cast<std::size_t>(2 * 18 * 4 * 217), -1.0f);
  for (std::int64_t g = 0; g < 2; ++g)
    for (std::int64_t k = 0; k < 216; ++k)
      for (std::int64_t n = 0; n < 70; ++n)
        panels[static_cast<std::size_t>((g * 18 + n / 4) * 4 * 217 + 4 * (k + 1) + n % 4)] = number(g, k, n);
  // Two groups of two tiles of columns, each with three taps of two slices of 64 channels.
  const std::int64_t tile_bytes = 64 * 128;
  std::vector<std::byte> tiles(static_cast<std::size_t>(2 * 2 * 6 * tile_bytes), std::byte{0xff});
  tkl::write_weight_tiles<tkl::bfloat16>(schedule, c, panels.data(), tiles.data());
  int wrong = 0;
  for (std::int64_t g = 0; g < 2; ++g)
    for (std::int64_t n = 0; n < 128; ++n)
      for (std::int64_t k = 0; k < 384; ++k) {
        const std::int64_t tile = (g * 2 + n / 64) * 6 + k / 64, channel = k % 128;
        tkl::bfloat16 v;
        std::memcpy(&v,
                    tiles.data() + tile * tile_bytes +
                        tkl::byte_of_tile(static_cast<std::int32_t>(n % 64), static_cast<std::int32_t>(2 * (k % 64))),
                    2);
        const float expected = n < 70 && channel < 72 ? number(g, k / 128 * 72 + channel, n) : 0.0f;
        wrong += v.bits != tkl::to_bfloat16(expected).bits;
      }
  CHECK(wrong == 0);
}

TEST_CASE("boxes of places") {
  const auto check = [](int rows, std::int32_t w, std::int32_t h, std::int32_t n, std::int64_t tiles) {
    const tkl::ring_space s = tkl::space_of(rows, w, h, n);
    CHECK(s.box[0] * s.box[1] * s.box[2] == rows);
    CHECK(s.tiles() == tiles);
  };
  check(128, 1000, 1, 1, 8);
  check(128, 56, 56, 1, 28);  // of 64 by 2
  check(128, 7, 7, 8, 4);     // of 8 by 8 by 2
  check(64, 3, 5, 2, 1);
  static_assert(tkl::space_of(128, 512, 512, 1).box[0] == 128);  // the longest of equals
}

TEST_CASE("blocks take every tile once") {
  for (const auto& [rows, columns, stripe] : {std::tuple{5, 9, 4}, {1, 1, 8}, {3, 8, 8}, {7, 3, 1}, {2, 17, 16}}) {
    std::set<std::pair<int, int>> tiles;
    for (int b = 0; b < rows * columns; ++b) {
      const tkl::ring_tile t = tkl::tile_of_block(b, rows, columns, stripe);
      CHECK((t.row >= 0 && t.row < rows && t.column >= 0 && t.column < columns));
      tiles.insert({t.row, t.column});
    }
    CHECK(tiles.size() == static_cast<std::size_t>(rows * columns));
  }
  static_assert(tkl::tile_of_block(4, 5, 9, 4).row == 1 && tkl::tile_of_block(20, 5, 9, 4).column == 4);
}

TEST_CASE("places that are equally far apart") {
  using tkl::edge;
  static_assert(tkl::place_stride(edge{.extent = {2, 3, 4, 8}, .stride = {96, 32, 8, 1}}) == 8);
  static_assert(tkl::place_stride(edge{.extent = {2, 3, 4, 8}, .stride = {192, 64, 16, 1}}) == 16);
  static_assert(tkl::place_stride(edge{.extent = {2, 3, 4, 8}, .stride = {96, 40, 8, 1}}) == 0);
  static_assert(tkl::place_stride(edge{.extent = {2, 3, 1, 8}, .stride = {120, 40, 7, 1}}) == 40);
  static_assert(tkl::place_stride(edge{.extent = {1, 1, 1, 8}, .stride = {5, 6, 7, 1}}) == 8);
}

TEST_CASE("into how many parts a depth is cut") {
  static_assert(tkl::parts_of_depth(1, 64, 132) == 8);  // no part below 8 slices
  static_assert(tkl::parts_of_depth(1, 7, 132) == 1);
  static_assert(tkl::parts_of_depth(40, 1000, 132) == 3);  // as many blocks as multiprocessors
  static_assert(tkl::parts_of_depth(66, 1000, 132) == 2);
  static_assert(tkl::parts_of_depth(67, 1000, 132) == 1);  // more than half of them have a tile
  static_assert(tkl::parts_of_depth(1, 1000, 0) == 1);
  static_assert(tkl::parts_of_depth(0, 1000, 132) == 1);
}

}  // namespace
