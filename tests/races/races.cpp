// SPDX-License-Identifier: Apache-2.0
// One model in two threads, each with a team of its own, for ThreadSanitizer: no byte is shared that somebody writes.
// `races shared` lets both use one workspace, which the sanitizer has to see.
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <tkl/cpu.hpp>
#include <vector>

namespace {

using tkl::f32, tkl::value;

struct network {
  static constexpr void build(tkl::graph& g) {
    const value x = g.input("x", f32, {1, 12, 10, 8}), w = g.input("w", f32, {8, 8});
    const value p = tkl::relu(tkl::max_pool2d(x, {.kernel = 3, .stride = 1, .pad = 1}));
    const value rows = tkl::matmul(tkl::softmax(tkl::reshape(p, {120, 8})), w);
    g.output(tkl::attention(tkl::reshape(rows, {1, 120, 8}), tkl::reshape(rows, {1, 120, 8}),
                            tkl::reshape(tkl::layer_norm(rows), {1, 120, 8}), {.heads = 2}),
             "y");
  }
};

/// Parts of a loop in threads of their own.
struct team {
  static constexpr int workers() { return 2; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    const std::int64_t middle = tkl::part_begin(n, 2, 1);
    std::thread other([&] {
      if (middle < n) f(middle, n, 1);
    });
    if (middle > 0) f(std::int64_t{0}, middle, 0);
    other.join();
  }
};

using net = tkl::compile<network, tkl::cpu<tkl::arch::native, team>>;
constexpr std::size_t count = 12 * 10 * 8;

struct caller {
  std::vector<float> x, w, y = std::vector<float>(count);
  explicit caller(float factor) {
    for (std::size_t i = 0; i < count; ++i) x.push_back(std::sin(factor * static_cast<float>(i)));
    for (std::size_t i = 0; i < 64; ++i) w.push_back(std::cos(factor * static_cast<float>(i)));
  }
  bool run(const net& model, const net::workspace& memory) {
    const void* in[] = {x.data(), w.data()};
    void* out[] = {y.data()};
    return model.run(memory, in, out).ok();
  }
};

}  // namespace

int main(int arguments, char** argument) {
  const bool shared = arguments > 1 && std::strcmp(argument[1], "shared") == 0;
  const auto model = net::share(tkl::packed_weights{});
  const auto one = net::workspace::make(), two = net::workspace::make();
  if (!model || !one || !two) return std::puts("no model or no memory"), 2;
  caller a(0.37f), b(1.91f);
  if (!a.run(*model, *one) || !b.run(*model, *two)) return std::puts("a run failed"), 2;
  const std::vector<float> first = a.y, second = b.y;
  std::atomic<int> wrong{0};
  const auto often = [&](caller& c, const net::workspace& memory, const std::vector<float>& expected) {
    for (int i = 0; i < 50; ++i) wrong += !c.run(*model, memory) || c.y != expected;
  };
  std::thread other([&] { often(b, shared ? *one : *two, second); });
  often(a, *one, first);
  other.join();
  std::printf("%d of 100 runs differ\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}
