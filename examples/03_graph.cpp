// SPDX-License-Identifier: Apache-2.0
// A graph: the same functions build a network when their arguments are graph values. The compiler checks it, fuses it
// and plans its memory; what is left are constants and a table of kernels.
#include <cstdio>
#include <string_view>
#include <tkl/cpu.hpp>

namespace {

struct small_net {
  /// 3x3 convolution, bias, activation.
  static constexpr tkl::value block(tkl::graph& g, tkl::value x, int channels, int stride, std::string_view name) {
    tkl::text<64> weight(name), bias(name);
    const tkl::value w = g.weight((weight << ".weight").view(), {channels, x.shape()[3], 3, 3});
    const tkl::value b = g.weight((bias << ".bias").view(), {channels});
    return tkl::relu(tkl::conv2d(x, w, b, {.stride = stride, .pad = 1}));
  }
  static constexpr tkl::value build(tkl::graph& g) {
    tkl::value x = g.input("image", tkl::f32, tkl::nhwc{1, 32, 32, 3});
    x = block(g, x, 16, 2, "stem");
    for (auto name : {"body.0", "body.1"}) x = block(g, x, 16, 1, name) + x;
    x = tkl::reshape(tkl::global_average_pool(x), {1, 16});
    return tkl::softmax(tkl::linear(x, g.weight("head.weight", {10, 16}), g.weight("head.bias", {10})));
  }
};

// All passes run here. exact: no convolution by fewer products, which is faster and takes more memory.
using net = tkl::compile<small_net, tkl::exact<tkl::cpu<>>>;
static_assert(net::steps == 6 && net::conversions == 0);
// The memory of the activations: no order of placing them in this order of steps takes less than the lower bound.
static_assert(net::arena_bytes <= net::lower_bound + net::lower_bound / 10 + 128 * net::buffers);

}  // namespace

int main() {
  std::printf("%d steps, %d kernels, %lld multiply-adds and other operations\n", net::steps, net::kernels,
              static_cast<long long>(net::flops));
  for (int i = 0; i < net::steps; ++i) {
    const tkl::step& s = net::plan_steps()[i];
    const tkl::edge& out = net::plan_edges()[s.out];
    std::printf("%-14s -> %d x %d x %d x %d\n", tkl::name_of(s.algorithm).data(), out.extent[0], out.extent[1],
                out.extent[2], out.extent[3]);
  }
  std::printf("activations fit %s\n", net::arena_bytes <= 96 * 1024 ? "96 KiB" : "no 96 KiB");

  // A file that is not there is a message, not an exception.
  if (auto model = net::load("small_net.safetensors"); !model) std::printf("%s\n", model.error().message());
}
