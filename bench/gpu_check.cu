// SPDX-License-Identifier: Apache-2.0
// For a machine with a GPU: every kind of kernel against the reference in double precision, then its time, beside
// cuBLAS where that was linked. Built and run by gpu_check.sh; prints a table in Markdown.
#include <chrono>
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
  failures += !error.empty();
  std::printf("| %s | %s | %s | %.1f | %.0f |\n", Model::name, how, error.empty() ? "right" : error.c_str(), micros,
              micros > 0 ? static_cast<double>(net::flops) / micros / 1e3 : 0.0);
}

#if defined(TKL_BENCH_CUBLAS)
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
  measure_products<conv3>(*context);
  measure_products<conv1>(*context);
  std::printf("| %s | cuDNN | not measured | | |\n", conv3::name);
  measure<depthwise, cuda_product::f32>(*context, "f32", 1e-4);
  measure<rows, cuda_product::f32>(*context, "f32", 1e-4);
  measure<attention, cuda_product::f32>(*context, "f32", 1e-4);
  measure<others, cuda_product::f32>(*context, "f32", 1e-4);
  std::printf("\n%d wrong or failed\n", failures);
  return failures == 0 ? 0 : 1;
}
