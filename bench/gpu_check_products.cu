// SPDX-License-Identifier: Apache-2.0
// Square products in tf32, f16 and bf16 beside cuBLAS: by warps, and where the architecture has them by warpgroups with
// 128 and with 256 columns.
#include <cstdint>
#include <string>
#include <tkl/cuda.cuh>
#include <vector>

#include "gpu/model_contender.cuh"
#include "gpu/parts.hpp"
#include "gpu/rivals.hpp"
#include "gpu/samples.hpp"
#include "support/graph_run.hpp"

namespace gpu_bench {
namespace {

template <int Size, tkl::element Type>
struct product {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", Type, {Size, Size});
    g.output(tkl::linear(x, g.weight("w", {Size, Size}, Type)));
  }
};

/// The widest instruction of warpgroups; only where the architecture has them.
template <class Arch>
struct wide : Arch {
  static constexpr tkl::ring_schedule ring{.columns = 256, .stages = 4};
};

template <class Model, class Arch>
contender ours(const tkl::cuda_context& context, const char* how, const std::vector<std::byte>& file,
               const std::vector<std::byte>& x, const sampled& expected) {
  return model_contender<Model, tkl::cuda<Arch, tkl::cuda_product::rounded>>(context, how, file, x, expected);
}

/// The ratio to cuBLASLt, or 0.
template <tkl::element Type, int Size>
double measure(const tkl::cuda_context& context, table& rows) {
  using model = product<Size, Type>;
  constexpr std::size_t size = Size, all = size * size;
  const std::string name = "product " + std::to_string(Size) + " in " +
                           (Type == tkl::f32   ? "tf32"
                            : Type == tkl::f16 ? "f16"
                                               : "bf16");
  if (!rows.begin(name)) return 0;
  tkl::graph g;
  tkl::build_model<model>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g), x = numbers(Type, all, input_number);
  const std::vector<float> w = tkl_test::random_weights("w", tkl::shape(Size, Size), Type);
  const sampled expected(Type, all, Type == tkl::bf16 ? 8e-3 : 2e-3, [&](std::size_t i) {
    const std::size_t row = i / size, column = i % size;
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k)
      sum += static_cast<double>(input_number(row * size + k)) * static_cast<double>(w[column * size + k]);
    return sum;
  });
  std::vector<contender> contenders;
  contenders.push_back(
      cublas_contender(context, Type, Size, x, numbers(Type, all, [&](std::size_t i) { return w[i]; }), expected));
  if constexpr (has_ring<arch> && Type != tkl::f32) {
    contenders.push_back(ours<model, tkl::arch::sm_90>(context, "by warps", file, x, expected));
    contenders.push_back(ours<model, arch>(context, "by warpgroups, 128 columns", file, x, expected));
    contenders.push_back(ours<model, wide<arch>>(context, "by warpgroups, 256 columns", file, x, expected));
  } else {
    contenders.push_back(ours<model, arch>(context, "by warps", file, x, expected));
  }
  time_in_turns(context, contenders);
  return rows.rows(name, contenders, 2.0 * Size * Size * Size, 0);
}

/// The ratio of the largest.
template <tkl::element Type>
double measure_sizes(const tkl::cuda_context& context, table& rows) {
  measure<Type, 1024>(context, rows);
  measure<Type, 2048>(context, rows);
  measure<Type, 4096>(context, rows);
  return measure<Type, 8192>(context, rows);
}

}  // namespace

void measure_products(const tkl::cuda_context& context, table& rows) {
  rows.head("Products of square matrices with f32 accumulation");
  measure_sizes<tkl::f32>(context, rows);
  measure_sizes<tkl::f16>(context, rows);
  rows.goal("product 8192 in bf16, beside cuBLASLt", measure_sizes<tkl::bf16>(context, rows));
  rows.goal("products 1024 to 8192 in tf32, f16, bf16, geometric mean, beside cuBLASLt", rows.mean("cuBLASLt"), 0);
}

}  // namespace gpu_bench
