// SPDX-License-Identifier: Apache-2.0
// Compiled by nvcc, never run: contractions by warpgroups for both types, with an epilogue, with a depth that is cut,
// and with the widest instruction.
#include <tkl/cuda.cuh>

template <tkl::element Type>
struct block {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", Type, {2, 64, 64, 256});
    const auto y = tkl::conv2d(x, g.weight("conv1", {512, 256, 1, 1}, Type), g.weight("b", {512}, Type));
    g.output(tkl::silu(tkl::conv2d(tkl::relu(y), g.weight("conv2", {256, 512, 1, 1}, Type)) + x));
    g.output(tkl::conv2d(x, g.weight("taps", {256, 256, 3, 3}, Type), {.pad = 1}));
    g.output(tkl::linear(g.input("deep", Type, {16, 4096}), g.weight("linear", {512, 4096}, Type)));
  }
};
struct wide : tkl::arch::sm_90a {
  static constexpr tkl::ring_schedule ring{.columns = 256, .stages = 4};
};
static_assert(tkl::ring_fits<wide::ring, wide>);

template <tkl::element Type, class Arch>
using net = tkl::compile<block<Type>, tkl::cuda<Arch, tkl::cuda_product::rounded>>;
static_assert(net<tkl::f16, wide>::tile_counts.by_warpgroups == 4 && net<tkl::f16, wide>::tile_counts.cut == 2);

template <class Net>
tkl::status run(const tkl::cuda_context& context, const char* weights, const void* const* in, void* const* out) {
  const auto model = Net::load(context, weights);
  if (!model) return model.error();
  const auto workspace = Net::workspace::make(*model);
  return workspace ? model->run(*workspace, in, out) : workspace.error();
}
using context = tkl::cuda_context;
template tkl::status run<net<tkl::f16, tkl::arch::sm_90a>>(const context&, const char*, const void* const*,
                                                           void* const*);
template tkl::status run<net<tkl::bf16, wide>>(const context&, const char*, const void* const*, void* const*);
