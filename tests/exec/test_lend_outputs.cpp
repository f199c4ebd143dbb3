// SPDX-License-Identifier: Apache-2.0
// A compiled model that uses the caller's output as memory: the bits of one that does not, in buffers at any alignment,
// for any number of workers, and nothing beside them is written.
// tkl-test: libs=openmp
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tkl/cpu.hpp>
#include <vector>

namespace {

using tkl::value;

struct network {
  static constexpr value build(tkl::graph& g) {
    value x = g.input("x", tkl::f32, {1, 19, 17, 5});
    for (int i = 0; i < 3; ++i) x = tkl::hard_swish(tkl::max_pool2d(x, {.kernel = 3, .stride = 1, .pad = 1}));
    return tkl::softmax(tkl::max_pool2d(x, {.kernel = 3, .stride = 1, .pad = 1}));
  }
};
constexpr std::size_t count = 19 * 17 * 5;
using plain = tkl::compile<network, tkl::cpu<>>;
using lent = tkl::compile<network, tkl::lend_outputs<tkl::cpu<>>>;
using team = tkl::compile<network, tkl::lend_outputs<tkl::cpu<tkl::arch::native, tkl::openmp>>>;
static_assert(lent::arena_bytes + 4096 < plain::arena_bytes);

template <class Net>
std::vector<float> run(const std::vector<float>& x, std::size_t shift, const typename Net::executor_type& executor) {
  const auto model = Net::share(tkl::packed_weights{});
  const auto memory = Net::workspace::make(executor.workers());
  REQUIRE(model.ok());
  REQUIRE(memory.ok());
  std::vector<float> buffer(count + 64, -7.0f);
  const void* in[] = {x.data()};
  void* out[] = {buffer.data() + shift};
  for (int again = 0; again < 2; ++again) REQUIRE(model->run(*memory, in, out, executor).ok());
  const auto first = buffer.begin() + static_cast<std::ptrdiff_t>(shift),
             last = first + static_cast<std::ptrdiff_t>(count);
  CHECK(std::all_of(buffer.begin(), first, [](float v) { return v == -7.0f; }));
  CHECK(std::all_of(last, buffer.end(), [](float v) { return v == -7.0f; }));
  return {first, last};
}

}  // namespace

TEST_CASE("a lent output holds the results in the end") {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101) * 0.11f - 5.0f;
  const std::vector<float> expected = run<plain>(x, 16, {});
  for (std::size_t shift = 0; shift < 32; shift += 3) {
    CAPTURE(shift);
    CHECK(run<lent>(x, shift, {}) == expected);
  }
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    CHECK(run<team>(x, 1, tkl::openmp(threads)) == expected);
  }
}
