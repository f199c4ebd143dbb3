// SPDX-License-Identifier: Apache-2.0
// Large tensors and large layers run on a small stack; half precision runs from odd addresses.
// tkl-test: libs=threads timeout=600
#include <pthread.h>

#include <tkl/elementwise.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::value;

namespace {

/// Runs f in a thread with a stack of `bytes`.
template <class F>
void with_stack(std::size_t bytes, F& f) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread{};
  const auto start = [](void* p) -> void* {
    (*static_cast<F*>(p))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, start, &f) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

/// 16 MiB in and out: a convolution, a product of long rows, softmax of long rows, attention.
struct large {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1, 64, 1024, 64});
    const value c = tkl::relu(tkl::conv2d(x, g.weight("conv", {64, 64, 3, 3}), {.pad = 1}));
    const value rows = tkl::reshape(c, {1024, 4096});
    g.output(tkl::linear(tkl::softmax(rows), g.weight("linear", {8, 4096})), "y");
    const value q = tkl::slice(rows, 0, 0, 512);
    g.output(tkl::attention(tkl::reshape(q, {1, 512, 4096}), tkl::reshape(q, {1, 512, 4096}),
                            tkl::reshape(q, {1, 512, 4096}), {.heads = 64}),
             "z");
  }
};

}  // namespace

TEST_CASE("a compiled model with large layers runs on a stack of 256 KiB") {
  using net = tkl::compile<large, tkl::cpu<tkl::arch::native, splitting>>;
  const numeric_case c = {.given = {{"x", repeated(64 * 1024 * 64, 0)},
                                    {"conv", repeated(64 * 64 * 9, 0)},
                                    {"linear", repeated(8 * 4096, 1)}}};
  prepared p = prepare<large>(c);
  const auto file = tkl::safetensors::from_memory(p.weights);
  REQUIRE(file.ok());
  const auto model = net::load(*file);
  REQUIRE(model.ok());
  const auto workspace = net::workspace::make(2);
  REQUIRE(workspace.ok());
  std::string message = "did not run";
  auto run = [&] {
    message = model->run(*workspace, p.input_pointers.data(), p.output_pointers.data(), splitting{2}).message();
  };
  with_stack(256 * 1024, run);
  CHECK(message == "");
  bool right = true;
  for (const double v : p.output(0)) right = right && std::fabs(v - 1) < 1e-4;  // a softmax of zeros sums to 1
  for (const double v : p.output(1)) right = right && v == 0;
  CHECK(right);
}

TEST_CASE("tensors of 16 MiB as locals and as temporaries on a stack of 256 KiB") {
  using layout = tkl::row_major<32, 512, 256>;
  static_assert(sizeof(tkl::tensor<float, layout>) <= 64);
  bool right = false;
  auto run = [&] {
    tkl::tensor<float, layout> x, y;
    for (float& v : x) v = 3;
    tkl::assign(y, tkl::relu(x + x) * x);
    right = y(0, 0, 0) == 18.0f && y(31, 511, 255) == 18.0f;
  };
  with_stack(256 * 1024, run);
  CHECK(right);
}

TEST_CASE("half precision from addresses that are 2 past a multiple of 4") {
  alignas(4) tkl::half memory[3][8]{};
  for (std::int64_t n : {1, 2, 3, 5}) {
    CAPTURE(n);
    tkl::half *x = memory[0] + 1, *y = memory[1] + 1, *z = memory[2] + 1;
    for (std::int64_t i = 0; i < 7; ++i)
      x[i] = tkl::to_half(static_cast<float>(i) - 1.5f), y[i] = tkl::to_half(0.25f), z[i] = tkl::to_half(777);
    using line = tkl::row_major<tkl::dyn>;
    const tkl::view<tkl::half, line> a(x, line(n)), b(y, line(n)), c(z, line(n));
    REQUIRE(tkl::assign(c, tkl::relu(a) + b * 2.0f).ok());
    for (std::int64_t i = 0; i < 7; ++i) {
      const float in = static_cast<float>(i) - 1.5f;
      CHECK(tkl::to_float(z[i]) == (i >= n ? 777.0f : (in > 0 ? in : 0) + 0.5f));
    }
  }
}
