// SPDX-License-Identifier: Apache-2.0
// One model in several threads, and products inside of parallel regions: the same bits as alone, and an end.
// tkl-test: libs=openmp,threads timeout=300
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <tkl/gemm.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::value;

namespace {

struct network {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1, 9, 9, 5});
    const value c = tkl::relu(tkl::conv2d(x, g.weight("w", {13, 5, 3, 3}), g.weight("b", {13}), {.pad = 1}));
    const value rows = tkl::softmax(tkl::reshape(tkl::max_pool2d(c, {.kernel = 3}), {9, 13}));
    g.output(tkl::linear(rows, g.weight("v", {7, 13})), "y");
  }
};
numeric_case inputs_of(double factor) {
  const auto wave = [](std::size_t n, double f) {
    std::vector<double> v;
    for (std::size_t i = 0; i < n; ++i) v.push_back(std::sin(f * static_cast<double>(i)));
    return v;
  };
  return {
      .given = {{"x", wave(9 * 9 * 5, factor)}, {"w", wave(13 * 45, 0.7)}, {"b", wave(13, 0.3)}, {"v", wave(91, 0.9)}}};
}

using matrix = tkl::tensor<float, tkl::row_major<20, 20>>;

/// An executor that notes which threads ran parts of its loops.
struct noted {
  struct notes {
    std::mutex lock{};
    std::set<std::thread::id> threads{};
  };
  tkl::openmp inner{2};
  notes* seen = nullptr;
  int workers() const { return inner.workers(); }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    inner.parallel_for(n, [&](std::int64_t begin, std::int64_t end, int worker) {
      {
        const std::lock_guard<std::mutex> hold(seen->lock);
        seen->threads.insert(std::this_thread::get_id());
      }
      f(begin, end, worker);
    });
  }
};

bool all_twenty(const matrix& c) {
  bool right = true;
  for (const float v : c) right = right && v == 20.0f;
  return right;
}

}  // namespace

TEST_CASE("two threads run one model on workspaces of their own, and get their own results bit for bit") {
  using net = tkl::compile<network, tkl::cpu<>>;
  prepared a = prepare<network>(inputs_of(0.37)), b = prepare<network>(inputs_of(1.91));
  const auto file = tkl::safetensors::from_memory(a.weights);
  REQUIRE(file.ok());
  const auto model = net::load(*file);
  REQUIRE(model.ok());
  const auto alone = [&](prepared& p) {
    const auto workspace = net::workspace::make();
    REQUIRE(workspace.ok());
    REQUIRE(model->run(*workspace, p.input_pointers.data(), p.output_pointers.data()).ok());
    return p.outputs;
  };
  const auto first = alone(a), second = alone(b);
  REQUIRE(first != second);
  std::atomic<int> wrong{0};
  const auto often = [&](prepared& p, const std::vector<std::vector<std::byte>>& expected) {
    const auto workspace = net::workspace::make();
    for (int i = 0; i < 10000; ++i) {
      p.poison_outputs(0xff);
      if (!model->run(*workspace, p.input_pointers.data(), p.output_pointers.data()).ok() || p.outputs != expected)
        ++wrong;
    }
  };
  std::thread other([&] { often(b, second); });
  often(a, first);
  other.join();
  CHECK(wrong == 0);
}

TEST_CASE("a team of threads gives the bits of one thread") {
  using net = tkl::compile<network, tkl::cpu<tkl::arch::native, tkl::openmp>>;
  prepared p = prepare<network>(inputs_of(0.37));
  const auto file = tkl::safetensors::from_memory(p.weights);
  REQUIRE(file.ok());
  const auto model = net::load(*file);
  REQUIRE(model.ok());
  std::vector<std::vector<std::byte>> expected;
  for (const int threads : {1, 2, 3, 4}) {
    CAPTURE(threads);
    const auto workspace = net::workspace::make(threads);
    REQUIRE(workspace.ok());
    p.poison_outputs(0xff);
    const std::string message =
        model->run(*workspace, p.input_pointers.data(), p.output_pointers.data(), tkl::openmp(threads)).message();
    REQUIRE(message == "");
    if (threads == 1) expected = p.outputs;
    CHECK(p.outputs == expected);
  }
}

TEST_CASE("products inside a parallel region come to an end, on no more threads than asked for") {
  using team = tkl::cpu<tkl::arch::native, noted>;
  noted::notes notes;
  const noted two{tkl::openmp(2), &notes};
  matrix a, b;
  for (float& v : a) v = 1;
  for (float& v : b) v = 1;
  SUBCASE("an OpenMP region") {
    int right = 0;
#pragma omp parallel for num_threads(2) reduction(+ : right)
    for (int i = 0; i < 100; ++i) {
      matrix c;
      tkl::assign(team(two), c, tkl::matmul(a, b));
      right += all_twenty(c);
    }
    CHECK(right == 100);
    CHECK(notes.threads.size() <= 2);
  }
  SUBCASE("two threads of the program") {
    std::atomic<int> right{0};
    const auto half = [&] {
      for (int i = 0; i < 50; ++i) {
        matrix c;
        tkl::assign(team(two), c, tkl::matmul(a, b));
        right += all_twenty(c);
      }
    };
    std::thread other(half);
    half();
    other.join();
    CHECK(right == 100);
    CHECK(notes.threads.size() <= 4);  // a team for each
  }
  SUBCASE("a worker of the executor itself") {
    std::atomic<int> right{0};
    two.parallel_for(100, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) {
        matrix c;
        tkl::assign(team(two), c, tkl::matmul(a, b));
        right += all_twenty(c);
      }
    });
    CHECK(right == 100);
    CHECK(notes.threads.size() <= 2);
  }
}
