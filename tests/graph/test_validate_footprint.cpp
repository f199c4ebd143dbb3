// SPDX-License-Identifier: Apache-2.0
// Footprints against sets of bytes: which bytes an edge covers, and how many two edges share.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <tkl/graph/footprint.hpp>
#include <vector>

using tkl::edge;
using tkl::footprint_of;
using tkl::shared_bytes;

namespace {

std::set<std::int64_t> bytes_of(const edge& e) {
  std::set<std::int64_t> all;
  const auto size = static_cast<std::int64_t>(tkl::size_of(e.type));
  std::int64_t i[4];
  for (i[0] = 0; i[0] < e.extent[0]; ++i[0])
    for (i[1] = 0; i[1] < e.extent[1]; ++i[1])
      for (i[2] = 0; i[2] < e.extent[2]; ++i[2])
        for (i[3] = 0; i[3] < e.extent[3]; ++i[3]) {
          std::int64_t at = e.offset;
          for (int a = 0; a < 4; ++a) at += i[a] * e.stride[a] * size;
          for (std::int64_t b = 0; b < size; ++b) all.insert(at + b);
        }
  return all;
}

/// A random part of a dense tensor: sliced with steps, transposed, flipped, as views make them.
edge random_view(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  edge e;
  e.type = below(2) ? tkl::f32 : tkl::u8;
  const auto size = static_cast<std::int64_t>(tkl::size_of(e.type));
  std::int32_t whole[4], dense = 1;
  for (int a = 3; a >= 0; --a) {
    whole[a] = 2 + below(3);
    e.stride[a] = dense;
    dense *= whole[a];
  }
  e.offset = size * below(8);
  for (int a = 0; a < 4; ++a) {
    const int first = below(2) ? 0 : below(whole[a]), step = 1 + below(2);
    const int most = (whole[a] - first + step - 1) / step;
    e.extent[a] = below(40) == 0 ? 0 : below(2) ? most : 1 + below(most);
    e.offset += size * first * e.stride[a];
    e.stride[a] *= step;
    if (below(6) == 0) {
      e.offset += size * e.stride[a] * (e.extent[a] - 1) * (e.extent[a] > 0);
      e.stride[a] = -e.stride[a];
    }
    if (below(8) == 0) e.stride[a] = 0;
  }
  for (int swaps = below(3); swaps > 0; --swaps) {
    const int a = below(4), b = below(4);
    std::swap(e.extent[a], e.extent[b]);
    std::swap(e.stride[a], e.stride[b]);
  }
  return e;
}

edge dense(std::int64_t offset, std::int32_t n) {
  edge e;
  e.offset = offset;
  e.extent[3] = n;
  e.stride[3] = 1;
  return e;
}

constexpr tkl::footprint part(int first) {  // channels first to first + 2 of 4, 3 pixels
  edge e;
  e.extent[2] = 3, e.extent[3] = 2;
  e.stride[2] = 4, e.stride[3] = 1;
  e.offset = 4 * first;
  return footprint_of(e);
}
static_assert(shared_bytes(part(0), part(2)) == 0, "two halves of a concatenation lie between each other");
static_assert(shared_bytes(part(0), part(1)) == 3 * 4);
static_assert(part(0).end() > part(2).base && part(0).bytes() == 24);

}  // namespace

TEST_CASE("a dense edge is one run, whatever its rank") {
  edge e;
  e.offset = 64;
  e.extent[0] = 2, e.extent[1] = 3, e.extent[2] = 5, e.extent[3] = 7;
  e.stride[0] = 105, e.stride[1] = 35, e.stride[2] = 7, e.stride[3] = 1;
  const tkl::footprint f = footprint_of(e);
  CHECK(f.levels == 0);
  CHECK(f.base == 64);
  CHECK(f.run == 840);
  CHECK(f.distinct);
}

TEST_CASE("random views cover the bytes that they name, and share what their sets share") {
  std::mt19937 random(11);
  int overlapping = 0;
  for (int round = 0; round < 20000; ++round) {
    const edge a = random_view(random), b = random_view(random);
    const auto in_a = bytes_of(a), in_b = bytes_of(b);
    const tkl::footprint fa = footprint_of(a), fb = footprint_of(b);
    REQUIRE(fa.valid);
    REQUIRE(fa.bytes() == static_cast<std::int64_t>(in_a.size()));
    if (!in_a.empty()) REQUIRE((fa.base == *in_a.begin() && fa.end() == *in_a.rbegin() + 1));
    std::vector<std::int64_t> both;
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(both));
    REQUIRE(shared_bytes(fa, fb) == static_cast<std::int64_t>(both.size()));
    REQUIRE(shared_bytes(fb, fa) == static_cast<std::int64_t>(both.size()));
    overlapping += !both.empty();
  }
  CHECK(overlapping > 3000);
}

TEST_CASE("elements that share a byte are told") {
  edge e = dense(0, 4);
  CHECK(footprint_of(e).distinct);
  e.stride[3] = 0;
  CHECK_FALSE(footprint_of(e).distinct);
  e.stride[3] = 1;
  e.extent[2] = 3, e.stride[2] = 2;  // rows of four, two apart
  CHECK_FALSE(footprint_of(e).distinct);
  CHECK(footprint_of(e).bytes() == 8 * 4);
  e.stride[2] = 4;
  CHECK(footprint_of(e).distinct);
  e.extent[3] = 0, e.stride[2] = 0;  // rows of nothing share nothing
  CHECK(footprint_of(e).distinct);
  CHECK(footprint_of(e).empty());
}

TEST_CASE("negative extents and sizes beyond 64 bits are invalid, not undefined") {
  edge e = dense(0, -1);
  CHECK_FALSE(footprint_of(e).valid);
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (int a = 0; a < 4; ++a) e.extent[a] = most, e.stride[a] = most;
  CHECK_FALSE(footprint_of(e).valid);
  for (int a = 0; a < 4; ++a) e.stride[a] = std::numeric_limits<std::int32_t>::min();
  CHECK_FALSE(footprint_of(e).valid);
  CHECK_FALSE(footprint_of(dense(std::numeric_limits<std::int64_t>::max() - 2, 1)).valid);
}
