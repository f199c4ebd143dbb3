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
using once = tkl::compile<block, tkl::cuda<tkl::arch::sm_80, tkl::cuda_product::rounded>>;
using thrice = tkl::compile<block, tkl::cuda<tkl::arch::sm_80, tkl::cuda_product::split>>;

template <class Net>
tkl::status run(const tkl::cuda_context& context, const char* weights, const void* const* in, void* const* out) {
  const auto model = Net::load(context, weights);
  if (!model) return model.error();
  const auto workspace = Net::workspace::make(*model);
  return workspace ? model->run(*workspace, in, out) : workspace.error();
}
template tkl::status run<once>(const tkl::cuda_context&, const char*, const void* const*, void* const*);
template tkl::status run<thrice>(const tkl::cuda_context&, const char*, const void* const*, void* const*);
