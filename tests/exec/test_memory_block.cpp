// SPDX-License-Identifier: Apache-2.0
// tkl-test: levels=base
// Blocks of memory: alignment (to huge pages from their size on), zeros, sizes that no memory has.
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

TEST_CASE("blocks are aligned, and zero when asked for") {
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{100}, huge - 1, huge, huge + 1, 3 * huge}) {
    CAPTURE(bytes);
    const auto block = tkl::memory_block::allocate(bytes, true);
    REQUIRE(block);
    CHECK(block->bytes() == bytes);
    CHECK(address(*block) % (bytes < huge ? tkl::buffer_alignment : huge) == 0);
    std::int64_t others = 0;
    for (std::int64_t i = 0; i < bytes; ++i) others += block->data()[i] != std::byte{0};
    CHECK(others == 0);
  }
}

TEST_CASE("nothing, and too much") {
  const auto nothing = tkl::memory_block::allocate(0, true);
  REQUIRE(nothing);
  CHECK(nothing->data() == nullptr);
#if !defined(__SANITIZE_ADDRESS__)  // which ends the program instead
  for (const std::int64_t bytes :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max() / 2}) {
    const auto block = tkl::memory_block::allocate(bytes, false);
    REQUIRE(!block);
    CHECK(std::string_view(block.error().message()).starts_with("no memory for "));
  }
#endif
}

}  // namespace
