// SPDX-License-Identifier: Apache-2.0
// A schedule by hand: how a matrix product is cut into register tiles and blocks is one value, given at the call. A
// schedule that the architecture has no registers for does not compile.
#include <cstdio>
#include <tkl/gemm.hpp>

namespace {

using level = tkl::arch::native;

// A low, wide tile instead of the architecture's own; strips of 64 products.
constexpr tkl::gemm_schedule wide{.mr = 2, .nr = 3, .kc = 64, .mc = 32, .nc = 96};
static_assert(tkl::fits_registers<wide, level>);
static_assert(!tkl::fits_registers<tkl::gemm_schedule{.mr = 16, .nr = 4}, level>);

}  // namespace

int main() {
  tkl::tensor<float, tkl::row_major<20, 200>> a;
  tkl::tensor<float, tkl::row_major<200, 40>> b;
  tkl::tensor<float, tkl::row_major<20, 40>> c, d;
  int i = 0;
  for (float& v : a) v = static_cast<float>(i++ % 7) - 3;
  for (float& v : b) v = static_cast<float>(i++ % 11) - 5;

  tkl::assign(c, tkl::matmul(a, b));                           // the architecture's schedule
  tkl::assign<wide>(tkl::cpu<level>{}, d, tkl::matmul(a, b));  // ours

  // Panels are packed for a schedule; the compiler refuses others.
  const auto packed = tkl::pack_matrix<level, wide>(b);
  if (!packed) return std::puts(packed.error().message()), 1;
  tkl::tensor<float, tkl::row_major<20, 40>> p;
  tkl::assign<wide>(tkl::cpu<level>{}, p, tkl::relu(tkl::matmul(a, *packed)));

  int same = 0, positive = 0;
  for (int k = 0; k < 800; ++k) {
    same += c.data()[k] == d.data()[k];
    positive += p.data()[k] == (c.data()[k] > 0 ? c.data()[k] : 0);
  }
  std::printf("c(3, 6) = %g\nequal under both schedules: %d of 800\nequal with packed panels: %d of 800\n",
              static_cast<double>(c(3, 6)), same, positive);
}
