// SPDX-License-Identifier: Apache-2.0
// The convolution layers of ResNet-50 with bias and ReLU beside cuDNN: f16 in and out, f32 accumulation, channels last.
#include <algorithm>
#include <cstdint>
#include <string>
#include <tkl/cuda.cuh>
#include <utility>
#include <vector>

#include "gpu/model_contender.cuh"
#include "gpu/parts.hpp"
#include "gpu/resnet50_layers.hpp"
#include "gpu/rivals.hpp"
#include "gpu/samples.hpp"
#include "support/graph_run.hpp"

namespace gpu_bench {
namespace {

template <int Batch, int Index>
struct convolution {
  static constexpr void build(tkl::graph& g) {
    constexpr layer l = resnet50_layers[Index];
    const auto x = g.input("x", tkl::f16, {Batch, l.extent, l.extent, l.in});
    const auto w = g.weight("w", {l.out, l.in, l.kernel, l.kernel}, tkl::f16);
    g.output(tkl::relu(
        tkl::conv2d(x, w, g.weight("b", {l.out}, tkl::f16), {.stride = l.stride, .pad = {l.pad(), l.pad()}})));
  }
};

std::string name_of(const layer& l, int batch) {
  std::string n = std::to_string(l.kernel) + "x" + std::to_string(l.kernel);
  if (l.stride != 1) n += " stride " + std::to_string(l.stride);
  return n + ", " + std::to_string(batch) + "x" + std::to_string(l.extent) + "x" + std::to_string(l.extent) + "x" +
         std::to_string(l.in) + " to " + std::to_string(l.out);
}

/// One number of a layer's output, in double precision. `w`: as the file holds it, [out, in, rows, columns].
double expected_at(const layer& l, std::size_t index, const std::vector<float>& w, const std::vector<float>& bias) {
  const auto at = static_cast<std::int64_t>(index);
  const std::int64_t channel = at % l.out, column = at / l.out % l.result(), row = at / l.out / l.result() % l.result(),
                     picture = at / l.out / l.result() / l.result();
  double sum = static_cast<double>(bias[static_cast<std::size_t>(channel)]);
  for (std::int64_t r = 0; r < l.kernel; ++r)
    for (std::int64_t s = 0; s < l.kernel; ++s) {
      const std::int64_t y = row * l.stride + r - l.pad(), x = column * l.stride + s - l.pad();
      if (y < 0 || y >= l.extent || x < 0 || x >= l.extent) continue;
      for (std::int64_t c = 0; c < l.in; ++c)
        sum += static_cast<double>(
                   input_number(static_cast<std::size_t>(((picture * l.extent + y) * l.extent + x) * l.in + c))) *
               static_cast<double>(w[static_cast<std::size_t>(((channel * l.in + c) * l.kernel + r) * l.kernel + s)]);
    }
  return std::max(sum, 0.0);
}

/// The same weights with channels last, [out, rows, columns, in].
std::vector<std::byte> channels_last(const layer& l, const std::vector<float>& w) {
  const auto in = static_cast<std::size_t>(l.in), taps = static_cast<std::size_t>(l.kernel * l.kernel);
  return numbers(tkl::f16, w.size(), [&](std::size_t i) {
    const std::size_t c = i % in, tap = i / in % taps, out = i / in / taps;
    return w[(out * in + c) * taps + tap];
  });
}

template <int Batch, int Index>
void measure(const tkl::cuda_context& context, table& rows) {
  using model = convolution<Batch, Index>;
  constexpr layer l = resnet50_layers[Index];
  const std::string name = name_of(l, Batch);
  if (!rows.begin(name)) return;
  tkl::graph g;
  tkl::build_model<model>(g);
  constexpr std::size_t places = std::size_t{Batch} * l.result() * l.result();
  constexpr std::size_t in = std::size_t{Batch} * l.extent * l.extent * l.in;
  const std::vector<std::byte> x = numbers(tkl::f16, in, input_number);
  const std::vector<float> w = tkl_test::random_weights("w", tkl::shape(l.out, l.in, l.kernel, l.kernel), tkl::f16),
                           bias = tkl_test::random_weights("b", tkl::shape(l.out), tkl::f16);
  const sampled expected(tkl::f16, places * l.out, 2e-3, [&](std::size_t i) { return expected_at(l, i, w, bias); });
  std::vector<contender> contenders;
  contenders.push_back(cudnn_contender(context, l, Batch, x, channels_last(l, w),
                                       numbers(tkl::f16, bias.size(), [&](std::size_t i) { return bias[i]; }),
                                       expected));
  contenders.push_back(model_contender<model, tkl::cuda<arch, tkl::cuda_product::rounded>>(
      context, "tkl, f16", tkl_test::random_weights_file(g), x, expected));
  time_in_turns(context, contenders);
  rows.rows(name, contenders, 2.0 * static_cast<double>(places) * l.out * l.in * l.kernel * l.kernel, 0);
}

template <int Batch>
void measure_batch(const tkl::cuda_context& context, table& rows, const char* title) {
  rows.head(title);
  [&]<int... Index>(std::integer_sequence<int, Index...>) {
    (measure<Batch, Index>(context, rows), ...);
  }
  (std::make_integer_sequence<int, resnet50_layer_count>{});
  rows.goal("layers of ResNet-50 in f16, batch " + std::to_string(Batch) + ", geometric mean, beside cuDNN",
            rows.mean("cuDNN"));
}

}  // namespace

void measure_convolutions(const tkl::cuda_context& context, table& rows) {
  measure_batch<1>(context, rows, "Layers of ResNet-50, batch 1, f16 with f32 accumulation, bias, ReLU");
  measure_batch<32>(context, rows, "Layers of ResNet-50, batch 32, f16 with f32 accumulation, bias, ReLU");
}

}  // namespace gpu_bench
