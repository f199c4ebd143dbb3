// SPDX-License-Identifier: Apache-2.0
// For a machine with a GPU: every kind of kernel against the reference in double precision, then its time, beside
// cuBLAS where that was linked. Built and run by gpu_check.sh; prints a table in Markdown.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <tkl/cuda.cuh>
#include <vector>

#include "support/graph_run.hpp"
#if defined(TKL_BENCH_CUBLAS)
#  include <cublas_v2.h>
#endif
#if !defined(TKL_BENCH_ARCH)
#  define TKL_BENCH_ARCH sm_80
#endif

namespace {

using tkl::cuda_product;
using arch = tkl::arch::TKL_BENCH_ARCH;

constexpr int places = 1024, depth = 1024, columns = 1024;
struct product {
  static constexpr const char* name = "product 1024 x 1024 x 1024";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {places, depth});
    g.output(tkl::linear(x, g.weight("w", {columns, depth})));
  }
};
struct one_row {
  static constexpr const char* name = "product 16 x 4096 x 4096";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {16, 4096});
    g.output(tkl::linear(x, g.weight("w", {4096, 4096})));
  }
};
constexpr int large_size = 8192;
struct large_product {
  static constexpr const char* name = "product 8192 x 8192 x 8192 in bf16";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::bf16, {large_size, large_size});
    g.output(tkl::linear(x, g.weight("w", {large_size, large_size}, tkl::bf16)));
  }
};
struct conv3 {
  static constexpr const char* name = "conv 3x3, 56x56x64 to 64, bias, relu";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 56, 56, 64});
    g.output(tkl::relu(tkl::conv2d(x, g.weight("w", {64, 64, 3, 3}), g.weight("b", {64}), {.pad = 1})));
  }
};
struct conv1 {
  static constexpr const char* name = "conv 1x1, 56x56x64 to 256, silu";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 56, 56, 64});
    g.output(tkl::silu(tkl::conv2d(x, g.weight("w", {256, 64, 1, 1}))));
  }
};
template <tkl::element Type>
struct short_inputs {
  static constexpr const char* name = Type == tkl::f16 ? "conv 3x3, 56x56x64 to 64, and 1x1 to 70, in f16"
                                                       : "conv 3x3, 56x56x64 to 64, and 1x1 to 70, in bf16";
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::cast(g.input("x", tkl::f32, {1, 56, 56, 64}), Type);
    g.output(tkl::cast(tkl::conv2d(x, g.weight("w", {64, 64, 3, 3}, Type), {.pad = 1}), tkl::f32));
    g.output(tkl::cast(tkl::conv2d(x, g.weight("v", {70, 64, 1, 1}, Type)), tkl::f32));
  }
};
struct computed {
  static constexpr const char* name = "product of computed 12 x 256 x 256 x 64";
  static constexpr void build(tkl::graph& g) {
    const auto a = g.input("a", tkl::f32, {12, 256, 64}), b = g.input("b", tkl::f32, {12, 256, 64});
    g.output(tkl::matmul(tkl::relu(a), tkl::relu(b), {.transpose_b = true}));
  }
};
struct depthwise {
  static constexpr const char* name = "depthwise 3x3, 112x112x64";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 112, 112, 64});
    g.output(tkl::conv2d(x, g.weight("w", {64, 1, 3, 3}), {.pad = 1, .groups = 64}));
  }
};
struct rows {
  static constexpr const char* name = "softmax and layer norm, 4096 x 768";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4096, 768});
    g.output(tkl::softmax(x));
    g.output(tkl::layer_norm(x, {.eps = 1e-5}));
  }
};
struct attention {
  static constexpr const char* name = "attention, 197 rows, 12 heads of 64";
  static constexpr void build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 197, 768}), k = g.input("k", tkl::f32, {1, 197, 768}),
               v = g.input("v", tkl::f32, {1, 197, 768});
    g.output(tkl::attention(q, k, v, {.heads = 12}));
  }
};
struct others {
  static constexpr const char* name = "pool, resize, reduce, map, 56x56x64";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 56, 56, 64});
    g.output(tkl::max_pool2d(x, {.kernel = 3, .stride = 2, .pad = 1}));
    g.output(tkl::resize(x, {.extent = {112, 112}, .kind = tkl::resize_kind::bilinear}));
    g.output(tkl::reduce_mean(x, {1, 2}));
    g.output(tkl::gelu(x) * 0.5 + x);
  }
};

/// Microseconds of one call of f, which enqueues.
template <class F>
double time_of(const tkl::cuda_context& context, F f) {
  constexpr int warm = 10, repeats = 200;
  for (int i = 0; i < warm; ++i) f();
  if (!context.synchronise()) return 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) f();
  if (!context.synchronise()) return 0;
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / repeats;
}

int failures = 0;

void report(const char* name, const char* how, const std::string& error, double micros, double flops) {
  failures += !error.empty();
  std::printf("| %s | %s | %s | %.1f | %.0f |\n", name, how, error.empty() ? "right" : error.c_str(), micros,
              micros > 0 ? flops / micros / 1e3 : 0.0);
}

/// `allowed`: difference relative to the largest number of an output.
template <class Model, cuda_product P>
void measure(const tkl::cuda_context& context, const char* how, double allowed) {
  using net = tkl::compile<Model, tkl::cuda<arch, P>>;
  tkl::graph g;
  tkl::build_model<Model>(g);
  const tkl_test::graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = tkl_test::run_unoptimised(g, inputs);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  const auto model = net::load(context, *tensors, {.allow_surplus = true});
  std::string error = model.error().message();
  std::vector<std::vector<std::byte>> outputs = tkl_test::output_buffers(g);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  double micros = 0;
  if (model) {
    const auto workspace = net::workspace::make(*model);
    error = workspace.error().message();
    if (workspace) {
      error = model->run(*workspace, inputs.pointers.data(), pointers.data()).message();
      for (std::size_t o = 0; error.empty() && o < outputs.size(); ++o)
        error = tkl_test::compare(expected[o], tkl_test::widened(outputs[o], tkl::f32), allowed);
      if (error.empty()) micros = time_of(context, [&] { error = model->enqueue(*workspace).message(); });
    }
  }
  report(Model::name, how, error, micros, static_cast<double>(net::flops));
}

/// The widest instruction of warpgroups; only where the architecture has them.
template <class Arch>
struct wide : Arch {
  static constexpr tkl::ring_schedule ring{.columns = 256, .stages = 4};
};
template <class Arch>
constexpr bool has_ring = requires {
  Arch::ring;
};

/// The large product: 64 of its numbers are compared, since the whole reference takes a CPU too long.
template <class Arch>
void measure_large(const tkl::cuda_context& context, const char* how) {
  using net = tkl::compile<large_product, tkl::cuda<Arch, cuda_product::rounded>>;
  static_assert(net::tile_counts.by_warpgroups == (has_ring<Arch> ? 1 : 0));
  tkl::graph g;
  tkl::build_model<large_product>(g);
  constexpr std::size_t size = large_size;
  const auto number = [](std::size_t i) {
    return tkl::to_bfloat16(static_cast<float>(static_cast<int>(i * 2654435761u >> 8 & 255) - 128) / 128);
  };
  std::vector<tkl::bfloat16> x(size * size), y(size * size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = number(i);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  const auto model = net::load(context, *tensors);
  std::string error = model.error().message();
  double micros = 0;
  if (model) {
    const auto workspace = net::workspace::make(*model);
    error = workspace.error().message();
    const void* in[] = {x.data()};
    void* out[] = {y.data()};
    if (workspace) error = model->run(*workspace, in, out).message();
    const std::vector<float> w = tkl_test::random_weights("w", tkl::shape(large_size, large_size), tkl::bf16);
    for (std::size_t n = 0; error.empty() && n < 64; ++n) {
      const std::size_t row = n * 8129 % size, column = n * 5557 % size;
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k)
        sum += static_cast<double>(tkl::to_float(x[row * size + k])) * static_cast<double>(w[column * size + k]);
      if (std::fabs(sum - static_cast<double>(tkl::to_float(y[row * size + column]))) > 8e-3 * (1 + std::fabs(sum)))
        error = "wrong at row " + std::to_string(row) + ", column " + std::to_string(column);
    }
    if (error.empty()) micros = time_of(context, [&] { error = model->enqueue(*workspace).message(); });
  }
  report(large_product::name, how, error, micros, static_cast<double>(net::flops));
}

#if defined(TKL_BENCH_CUBLAS)
void measure_cublas_large(const tkl::cuda_context& context) {
  constexpr std::int64_t bytes = 2LL * large_size * large_size;
  const auto a = tkl::cuda_memory_block::allocate(bytes), b = tkl::cuda_memory_block::allocate(bytes),
             c = tkl::cuda_memory_block::allocate(bytes);
  cublasHandle_t handle{};
  if (!a || !b || !c || cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
    return void(std::puts("| product in bf16 | cuBLAS | failed | | |"));
  cublasSetStream(handle, context.stream());
  const float one = 1, zero = 0;
  const double micros = time_of(context, [&] {
    cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, large_size, large_size, large_size, &one, b->data(), CUDA_R_16BF,
                 large_size, a->data(), CUDA_R_16BF, large_size, &zero, c->data(), CUDA_R_16BF, large_size,
                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
  std::printf("| %s | cuBLAS | not compared | %.1f | %.0f |\n", large_product::name, micros,
              micros > 0 ? 2.0 * large_size * large_size * large_size / micros / 1e3 : 0.0);
  cublasDestroy(handle);
}
void measure_cublas(const tkl::cuda_context& context, bool tf32) {
  const auto a = tkl::cuda_memory_block::allocate(4LL * places * depth),
             b = tkl::cuda_memory_block::allocate(4LL * depth * columns),
             c = tkl::cuda_memory_block::allocate(4LL * places * columns);
  cublasHandle_t handle{};
  if (!a || !b || !c || cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
    return void(std::puts("| product | cuBLAS | failed | | |"));
  cublasSetStream(handle, context.stream());
  cublasSetMathMode(handle, tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
  const float one = 1, zero = 0;
  const double micros = time_of(context, [&] {
    cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, columns, places, depth, &one,
                reinterpret_cast<const float*>(b->data()), depth, reinterpret_cast<const float*>(a->data()), depth,
                &zero, reinterpret_cast<float*>(c->data()), columns);
  });
  std::printf("| %s | cuBLAS %s | not compared | %.1f | %.0f |\n", product::name, tf32 ? "tf32" : "f32", micros,
              micros > 0 ? 2.0 * places * depth * columns / micros / 1e3 : 0.0);
  cublasDestroy(handle);
}
#endif

template <class Model>
void measure_products(const tkl::cuda_context& context) {
  measure<Model, cuda_product::f32>(context, "f32", 1e-4);
  measure<Model, cuda_product::split>(context, "split tf32", 1e-4);
  measure<Model, cuda_product::rounded>(context, "tf32", 4e-3);
}

template <class Arch>
void measure_large_products(const tkl::cuda_context& context) {
  if constexpr (has_ring<Arch>) {
    measure_large<tkl::arch::sm_90>(context, "bf16 by warps");
    measure_large<Arch>(context, "bf16 by warpgroups, 128 columns");
    measure_large<wide<Arch>>(context, "bf16 by warpgroups, 256 columns");
  } else {
    measure_large<Arch>(context, "bf16 by warps");
  }
}

}  // namespace

int main() {
  const auto context = tkl::cuda_context::make();
  if (!context) return std::puts(context.error().message()), 1;
  std::printf("Device: %s, compute capability %d.%d\n\n", context->device_name(), context->capability() / 10,
              context->capability() % 10);
  std::puts("| kernel | multiplied in | against the reference | microseconds | GFLOP/s |\n|---|---|---|---|---|");
  measure_products<product>(*context);
#if defined(TKL_BENCH_CUBLAS)
  measure_cublas(*context, false);
  measure_cublas(*context, true);
#else
  std::printf("| %s | cuBLAS | not measured | | |\n", product::name);
#endif
  measure_products<one_row>(*context);
  measure_large_products<arch>(*context);
#if defined(TKL_BENCH_CUBLAS)
  measure_cublas_large(*context);
#endif
  measure_products<conv3>(*context);
  measure_products<conv1>(*context);
  std::printf("| %s | cuDNN | not measured | | |\n", conv3::name);
  measure<short_inputs<tkl::f16>, cuda_product::rounded>(*context, "f16", 4e-3);
  measure<short_inputs<tkl::bf16>, cuda_product::rounded>(*context, "bf16", 3e-2);
  measure_products<computed>(*context);
  measure<depthwise, cuda_product::f32>(*context, "f32", 1e-4);
  measure<rows, cuda_product::f32>(*context, "f32", 1e-4);
  measure<attention, cuda_product::f32>(*context, "f32", 1e-4);
  measure<others, cuda_product::f32>(*context, "f32", 1e-4);
  std::printf("\n%d wrong or failed\n", failures);
  return failures == 0 ? 0 : 1;
}
