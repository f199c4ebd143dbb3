// SPDX-License-Identifier: Apache-2.0
// Launches stay within the limits that every GPU has, and cover every item exactly once.
#include "support/cuda_compare.hpp"

namespace {

void check_limits(const tkl::item_counts& items, int team) {
  const tkl::cuda_launch l = tkl::cuda_launch_of(items, tkl::cuda_block_threads, team);
  CAPTURE(items.count[0]);
  CAPTURE(items.count[1]);
  CAPTURE(items.count[2]);
  REQUIRE(!l.empty());
  CHECK(l.threads[0] * l.threads[1] * l.threads[2] <= tkl::cuda_block_threads);
  CHECK(l.threads[2] <= 64);
  CHECK((l.grid[0] >= 1 && l.grid[0] <= 0x7fffffffu));
  for (int i = 0; i < 3; ++i) {
    const unsigned own = team == 1 ? l.threads[i] : i < 2 ? l.threads[i + 1] : 1;
    CHECK(std::int64_t{l.blocks[i]} * own >= items.count[i]);
    CHECK((std::int64_t{l.blocks[i]} - 1) * own < items.count[i]);
    if (i > 0) CHECK((l.grid[i] >= 1 && l.grid[i] <= 65535 && l.grid[i] <= l.blocks[i]));
  }
  CHECK(l.grid[0] == l.blocks[0]);
}

TEST_CASE("grids and blocks") {
  for (const int team : {1, tkl::cuda_team}) {
    check_limits({{1, 1, 1}}, team);
    check_limits({{2048, 16384, 1}}, team);
    check_limits({{4, 65536, 1}}, team);
    check_limits({{1, 1, 65536}}, team);
    check_limits({{16, 16, 64 * 64}}, team);
    check_limits({{1, 1, 0x7fffffff}}, team);
    check_limits({{0x7fffffff, 1, 1}}, team);
    check_limits({{33, 5, 7}}, team);
    for (int i = 0; i < 3; ++i) {
      tkl::item_counts none{{3, 3, 3}};
      none.count[i] = 0;
      CHECK(tkl::cuda_launch_of(none, tkl::cuda_block_threads, team).empty());
    }
  }
}

std::vector<int> turns;

/// Stands for a machine: where the item of a thread is.
struct counting {
  static constexpr int team = 1;
  counting(const tkl::cuda_arguments&, int x, int y, int z, int) : place{x, y, z} {}
  int place[3];
};

TEST_CASE("a grid that is too short is walked until every item had its turn, once") {
  const tkl::item_counts items{{40, 9, 21}};
  tkl::cuda_launch l = tkl::cuda_launch_of(items, tkl::cuda_block_threads, 1);
  l.grid[1] = 2;
  l.grid[2] = 3;
  turns.assign(40 * 9 * 21, 0);
  tkl::cuda_arguments a;
  for (int i = 0; i < 3; ++i) a.blocks[i] = l.blocks[i];
  void (*const kernel)(tkl::cuda_arguments) = [](tkl::cuda_arguments own) {
    tkl::for_items<counting>(own, [](const counting& m) {
      const int* p = m.place;
      if (p[0] < 40 && p[1] < 9 && p[2] < 21) ++turns[static_cast<std::size_t>((p[2] * 9 + p[1]) * 40 + p[0])];
    });
  };
  void* arguments[] = {&a};
  REQUIRE(cudaLaunchKernel(kernel, dim3(l.grid[0], l.grid[1], l.grid[2]),
                           dim3(l.threads[0], l.threads[1], l.threads[2]), arguments, 0,
                           tkl_test::device().stream()) == cudaSuccess);
  REQUIRE(tkl_test::device().synchronise().ok());
  CHECK(std::all_of(turns.begin(), turns.end(), [](int n) { return n == 1; }));
}

}  // namespace
