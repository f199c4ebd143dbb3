// SPDX-License-Identifier: Apache-2.0
// Compiled by nvcc, never run: contractions in tensor cores for every type of input and in both precisions.
#include <tkl/cuda.cuh>

struct block {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {2, 28, 28, 64});
    const auto y = tkl::relu(tkl::conv2d(x, g.weight("conv1", {128, 64, 3, 3}), g.weight("b", {128}), {.pad = 1}));
    g.output(tkl::silu(tkl::conv2d(y, g.weight("conv2", {64, 128, 1, 1})) + x));
    g.output(tkl::conv2d(tkl::cast(x, tkl::f16), g.weight("conv3", {64, 64, 3, 3}, tkl::f16)));
    g.output(tkl::conv2d(tkl::cast(x, tkl::bf16), g.weight("conv4", {64, 64, 3, 3}, tkl::bf16)));
  }
};
/// Products of computed operands, along and across their depth.
template <tkl::element Type>
struct products {
  static constexpr void build(tkl::graph& g) {
    const auto a = g.input("a", Type, {4, 128, 64}), b = g.input("b", Type, {4, 64, 256});
    g.output(tkl::matmul(tkl::relu(a), tkl::relu(b)));
    const auto bt = g.input("bt", Type, {4, 256, 64}), at = g.input("at", Type, {4, 64, 128});
    g.output(tkl::matmul(tkl::relu(a), tkl::relu(bt), {.transpose_b = true}));
    g.output(tkl::matmul(tkl::relu(at), tkl::relu(bt), {.transpose_a = true, .transpose_b = true}));
  }
};
template <class Model, tkl::cuda_product P>
using net = tkl::compile<Model, tkl::cuda<tkl::arch::sm_80, P>>;
using once = net<block, tkl::cuda_product::rounded>;
using thrice = net<block, tkl::cuda_product::split>;

template <class Net>
tkl::status run(const tkl::cuda_context& context, const char* weights, const void* const* in, void* const* out) {
  const auto model = Net::load(context, weights);
  if (!model) return model.error();
  const auto workspace = Net::workspace::make(*model);
  return workspace ? model->run(*workspace, in, out) : workspace.error();
}
using in_f32 = net<products<tkl::f32>, tkl::cuda_product::split>;
using in_bf16 = net<products<tkl::bf16>, tkl::cuda_product::rounded>;
static_assert(in_f32::tile_counts.steps == 3 && in_bf16::tile_counts.steps == 3);
template tkl::status run<in_f32>(const tkl::cuda_context&, const char*, const void* const*, void* const*);
template tkl::status run<in_bf16>(const tkl::cuda_context&, const char*, const void* const*, void* const*);
template tkl::status run<once>(const tkl::cuda_context&, const char*, const void* const*, void* const*);
template tkl::status run<thrice>(const tkl::cuda_context&, const char*, const void* const*, void* const*);
