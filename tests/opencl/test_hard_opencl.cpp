// SPDX-License-Identifier: Apache-2.0
// What has broken other libraries' OpenCL kernels: work sizes, groups of any size, types of arguments. (Strictness of
// the language: test_strict_texts.cpp; vectors that begin anywhere: work_items/map.hpp.)
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/opencl_compare.hpp"
#include "support/opencl_text_facts.hpp"

namespace {

using tkl::graph;
using tkl::value;

/// A product of ones; every element is the depth.
template <tkl::work_item_schedule S>
void check_ones(std::int64_t m, std::int64_t n, std::int64_t k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  graph g;
  const value x = g.input("a", tkl::f32, {m, k}), y = g.input("b", tkl::f32, {k, n});
  g.output(tkl::matmul(x, y));
  const std::vector<float> a(static_cast<std::size_t>(m * k), 1.0f), b(static_cast<std::size_t>(k * n), 1.0f);
  const tkl_test::device_run run = tkl_test::run_on_device<S>(g, {a.data(), b.data()});
  REQUIRE(run.error == "");
  REQUIRE(run.outputs[0].size() == static_cast<std::size_t>(m * n));
  std::size_t wrong = 0;
  for (const double sum : run.outputs[0]) wrong += sum != static_cast<double>(k);
  CHECK(wrong == 0);
}

template <int Side>
void check_groups() {
  constexpr tkl::work_item_schedule s{.pixels = 4, .vectors = 1, .group = {Side, Side, 1}};
  check_ones<s>(16, 500, 64);
  check_ones<s>(10, 512, 64);
  check_ones<s>(9, 9, 9);
}
TEST_CASE("extents that no group divides") {
  check_groups<3>();
  check_groups<8>();
  check_groups<16>();
  check_groups<64>();  // more items than any device runs in a group: cut down to what it runs
  check_ones<tkl::work_item_schedule{.pixels = 4, .vectors = 1, .group = {16, 16, 1}}>(1000, 1000, 1000);
}

TEST_CASE("launches cover each place once, in whole groups that the device runs") {
  for (const std::size_t most : {std::size_t{64}, std::size_t{128}, std::size_t{256}})
    for (const std::int64_t columns : {500, 512, 1000})
      for (const std::int64_t rows : {10, 16, 1000}) {
        tkl::edge out;
        out.extent[2] = static_cast<std::int32_t>(rows), out.extent[3] = static_cast<std::int32_t>(columns);
        const tkl::item_counts items = tkl::items_of_output(out.extent, tkl::item_width, 4);
        CHECK(items.count[0] * 4 >= columns);
        CHECK((items.count[0] - 1) * 4 < columns);
        CHECK(items.count[1] * 4 >= rows);
        CHECK((items.count[1] - 1) * 4 < rows);
        const tkl::opencl_launch l = tkl::launch_of(items, {16, 16, 1}, most, {most, most, most});
        CHECK(l.local[0] * l.local[1] * l.local[2] <= most);
        for (int i = 0; i < 3; ++i) {
          CHECK(l.global[i] % l.local[i] == 0);
          CHECK(l.global[i] >= static_cast<std::size_t>(items.count[i]));
        }
      }
}

/// Whether a kernel's number can be given as a T.
template <class T>
concept settable = requires(cl::Kernel& k, T v) {
  tkl::set_number(k, cl_uint{0}, v);
};
enum class some_number : int {};
static_assert(settable<cl_int> && settable<cl_float>);
static_assert(!settable<std::size_t> && !settable<std::int64_t> && !settable<bool> && !settable<some_number>);
static_assert(!settable<double> && !settable<std::uint32_t> && !settable<std::int16_t>);

}  // namespace
