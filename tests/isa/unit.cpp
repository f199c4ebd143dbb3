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

}  // namespace

/// out[7][50] = softmax(relu(a[7][33] b[33][50])) with the registers of this unit's level; 0 when it went well.
extern "C" int TKL_ISA_UNIT(const float* a, const float* b, float* out) {
  using net = tkl::compile<model, tkl::cpu<>>;
  const net n = net::share(tkl::packed_weights{});
  auto arena = net::workspace::make();
  if (!arena) return 1;
  const void* in[] = {a, b};
  void* results[] = {out};
  return n.run(*arena, in, results) ? 0 : 2;
}
