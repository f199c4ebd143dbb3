// SPDX-License-Identifier: Apache-2.0
// tkl-test: levels=neon
// Cores of a level as targets: other caches and so other blocks, the same results. A tag of a program's own, as
// tools/describe_device.py writes it, is one more.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tkl/cpu.hpp>
#include <tkl/elementwise.hpp>
#include <tkl/gemm.hpp>
#include <type_traits>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

/// A core with caches so small that every product is cut.
struct tiny : arch::cortex_a55 {
  static constexpr std::string_view name = "tiny";
  static constexpr cache_sizes cache{4096, 8192, 16384};
  static constexpr gemm_schedule gemm = gemm_blocks(8, 3, width_f32, cache);
  static constexpr conv_schedule conv = conv_from(gemm);
};
static_assert(schedules_fit<tiny>() && tiny::gemm.kc < arch::cortex_a55::gemm.kc);

static_assert(std::is_same_v<cpu_machine<arch::cortex_a55>::value, cpu_machine<arch::neon>::value>);
static_assert(arch::cortex_a76::gemm.kc > arch::cortex_a55::gemm.kc, "a larger first-level cache, longer strips");
static_assert(arch::cortex_a55::work.multiply_adds == 24 && arch::cortex_a55::work.loads == 11);
static_assert(arch::cortex_a55::features.dot_product && !arch::cortex_a53::features.dot_product);

struct layer {
  static constexpr value build(graph& g) {
    return relu(linear(g.input("x", f32, {4, 96}), g.weight("w", {40, 96}), g.weight("b", {40})));
  }
};
static_assert(compile<layer, cpu<arch::cortex_a55>>::steps == 1 && compile<layer, cpu<tiny>>::steps == 1);

using matrix = tensor<float, row_major<dyn, dyn>>;

template <class Arch>
void check() {
  CAPTURE(Arch::name);
  constexpr std::int64_t rows = 37, depth = 700, columns = 51;
  matrix a(row_major(rows, depth)), b(row_major(depth, columns)), of_core(row_major(rows, columns)),
      of_level(row_major(rows, columns));
  fill(a, 1);
  fill(b, 2);
  const auto packed = pack_matrix<Arch>(b);
  REQUIRE(packed);
  CHECK(good(assign(cpu<Arch>{}, of_core, relu(matmul(a, *packed) - 1))));
  CHECK(good(assign(cpu<arch::neon>{}, of_level, relu(matmul(a, *packed) - 1))));  // panels are as wide

  const reals x = reals_of(a), y = reals_of(b);
  reals want = zeros(matmul_rule(x.shape, y.shape, {}).out);
  matmul_definition(x.in(), y.in(), want.out(), {});
  for (double& v : want.values) v = std::max(v - 1, 0.0);
  CHECK(agree(reals_of(of_core), want));
  CHECK(agree(reals_of(of_level), want));
}

}  // namespace

TEST_CASE_TEMPLATE("a core gives the results of its level", Arch, arch::cortex_a53, arch::cortex_a55, arch::cortex_a72,
                   arch::cortex_a76, tiny) {
  check<Arch>();
}
