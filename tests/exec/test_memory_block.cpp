// SPDX-License-Identifier: Apache-2.0
// tkl-test: levels=base
// Blocks of memory: alignment, zeros, how much lies on huge pages, sizes that no memory has.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <tkl/exec/memory_block.hpp>

namespace {

constexpr std::int64_t huge = tkl::huge_page_bytes;

std::int64_t address(const tkl::memory_block& b) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data()));
}

TEST_CASE("the last huge page is taken when three quarters of it are used") {
  CHECK(tkl::bytes_on_huge_pages(1) == 0);
  CHECK(tkl::bytes_on_huge_pages(huge / 4 * 3 - 1) == 0);
  CHECK(tkl::bytes_on_huge_pages(huge / 4 * 3) == huge);
  CHECK(tkl::bytes_on_huge_pages(huge) == huge);
  CHECK(tkl::bytes_on_huge_pages(2 * huge + 64) == 2 * huge);
  CHECK(tkl::bytes_on_huge_pages(3 * huge - 64) == 3 * huge);
}

TEST_CASE("blocks are aligned, and zero when asked for") {
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{100}, huge / 4 * 3 - 1, huge / 4 * 3, huge + 1}) {
    CAPTURE(bytes);
    const auto block = tkl::memory_block::allocate(bytes, true);
    REQUIRE(block);
    CHECK(block->bytes() == bytes);
    CHECK(address(*block) % (tkl::bytes_on_huge_pages(bytes) > 0 ? huge : tkl::buffer_alignment) == 0);
    std::int64_t others = 0;
    for (std::int64_t i = 0; i < bytes; ++i) others += block->data()[i] != std::byte{0};
    CHECK(others == 0);
  }
}

TEST_CASE("nothing, and too much") {
  const auto nothing = tkl::memory_block::allocate(0, true);
  REQUIRE(nothing);
  CHECK(nothing->data() == nullptr);
  for (const std::int64_t bytes :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max() / 2}) {
    const auto block = tkl::memory_block::allocate(bytes, false);
    REQUIRE(!block);
    CHECK(std::string_view(block.error().message()).starts_with("no memory for "));
  }
}

}  // namespace
