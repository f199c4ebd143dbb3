// SPDX-License-Identifier: Apache-2.0
// One model, compiled once per level into one program: the function is unit_base, unit_avx2, unit_avx512.
#include <tkl/cpu.hpp>

namespace {

struct model {
  static constexpr tkl::value build(tkl::graph& g) {
    const tkl::value a = g.input("a", tkl::f32, {7, 33}), b = g.input("b", tkl::f32, {33, 50});
    return tkl::softmax(tkl::relu(tkl::matmul(a, b)));
  }
};

/// Has weights: its kernels and the code that loads a file are in the object too.
struct network {
  static constexpr tkl::value build(tkl::graph& g) {
    const tkl::value x = g.input("image", tkl::u8, {1, 8, 8, 3});
    const tkl::value y = tkl::conv2d(tkl::cast(x, tkl::f32), g.weight("conv", {16, 3, 3, 3}), g.weight("bias", {16}),
                                     {.stride = 2, .pad = {0, 0, 1, 1}});
    return tkl::softmax(tkl::linear(tkl::reshape(tkl::relu(y), {1, -1}), g.weight("fc", {10, 256})));
  }
};

}  // namespace

static int load_and_run(const void* image, float* out) {
  using net = tkl::compile<network, tkl::cpu<>>;
  const auto n = net::load("network.safetensors");
  auto arena = net::workspace::make();
  if (!n || !arena) return 3;
  void* results[] = {out};
  return n->run(*arena, &image, results) ? 0 : 2;
}

/// out[7][50] = softmax(relu(a[7][33] b[33][50])) with the registers of this unit's level; 0 when it went well.
extern "C" int TKL_ISA_UNIT(const float* a, const float* b, float* out) {
  using net = tkl::compile<model, tkl::cpu<>>;
  const auto n = net::share(tkl::packed_weights{});
  auto arena = net::workspace::make();
  if (!n || !arena) return 1;
  if (a == nullptr) return load_and_run(b, out);
  const void* in[] = {a, b};
  void* results[] = {out};
  return n->run(*arena, in, results) ? 0 : 2;
}
