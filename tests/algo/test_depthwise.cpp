// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution against the plain loop nest: filters, strides, dilations, paddings, tails, borders, threads.
#include <doctest/doctest.h>

#include <support/oracle_spatial.hpp>
#include <tkl/algo/depthwise.hpp>
#include <tkl/algo/pack_depthwise.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>
#include <vector>

using namespace tkl;
using namespace tkl::test;

namespace {

using floats = const float*;
using plain = depthwise_problem<float, float, float>;

using layer = depthwise_layer;

template <depthwise_schedule S, class M, class TA = float, class TC = float, class TW = float>
void check(const layer& l, guard side = guard::end, double tolerance = 1e-5) {
  INFO("rows ", l.rows, " columns ", l.columns, " channels ", l.channels, " multiplier ", l.multiplier, " kernel ",
       l.win.kernel[0], "x", l.win.kernel[1], " stride ", l.win.stride[0], ",", l.win.stride[1]);
  random_numbers random{static_cast<std::uint32_t>(l.rows * 31 + l.columns * 7 + l.channels)};
  const std::int64_t outs = l.channels * l.multiplier, taps = l.win.kernel[0] * l.win.kernel[1];
  const std::int64_t out_rows = l.win.outputs(0, l.rows), out_columns = l.win.outputs(1, l.columns);
  image<TA> x(l.n, l.rows, l.columns, l.channels, l.gap, side);
  x.fill(random, std::is_integral_v<TA> ? 100.0 : 1.0);
  image<float> residual(l.n, out_rows, out_columns, outs, 0, side);
  residual.fill(random);
  std::vector<float> weights(static_cast<std::size_t>(outs * taps)), bias(static_cast<std::size_t>(outs));
  for (auto& w : weights) w = to_float(to_half(static_cast<float>(random())));
  for (auto& b : bias) b = to_float(to_half(static_cast<float>(random())));
  guarded<TW> packed(static_cast<std::size_t>(packed_depthwise_elements(outs, taps, M::width, bias_rows<TW>)));
  pack_depthwise(weights.data(), outs, taps, floats{}, bias.data(), M::width, packed.data());
  guarded<float> slope(static_cast<std::size_t>(outs), side);
  for (auto& s : slope) s = static_cast<float>(random());
  const auto* step = residual.strides();
  const auto epilogue = relu(acc) * channel_node<float>{{}, slope.data()} +
                        element_node<float>{{}, residual.data(), {step[0], step[1], step[2]}};

  const auto run = [&](image<TC>& y, const auto& executor) {
    depthwise_problem<TA, TW, TC> p{
        .x = x.const_view(), .weights = packed.data(), .y = y.view(), .multiplier = l.multiplier};
    for (int i = 0; i < 2; ++i) {
      p.kernel[i] = l.win.kernel[i], p.stride[i] = l.win.stride[i];
      p.dilation[i] = l.win.dilation[i], p.pad[i] = l.win.pad[i];
    }
    depthwise<S, M>(p, epilogue, executor);
  };
  image<TC> y(l.n, out_rows, out_columns, outs, l.gap, side), split(l.n, out_rows, out_columns, outs, l.gap, side);
  run(y, serial{});
  run(split, splitting{3});
  CHECK(y.gaps_intact());
  CHECK(y.same_bits(split));
  CHECK(largest_error(y, [&](auto n, auto r, auto c, auto o) {
          const double sum = depthwise_oracle(x, weights, bias, l.win, l.multiplier, n, r, c, o);
          return std::max(sum, 0.0) * number(slope[static_cast<std::size_t>(o)]) + number(residual(n, r, c, o));
        }) < tolerance);
}

constexpr depthwise_schedule any{};
constexpr depthwise_schedule specialised(int kernel, int stride) {
  return depthwise_schedule_for(kernel, kernel, stride, 1, 1, arch::native::depthwise_tile);
}
constexpr window centred(std::int64_t k, std::int64_t stride_rows, std::int64_t stride_columns) {
  return {{k, k}, {stride_rows, stride_columns}, {1, 1}, {k / 2, k / 2, k / 2, k / 2}};
}

}  // namespace

TEST_CASE_TEMPLATE("depthwise: specialised filters, all row lengths around the tile", M, reference_machine,
                   cpu_machine<arch::native>) {
  for (std::int64_t columns = 1; columns <= 37; columns += columns < 12 ? 1 : 5) {
    const auto with = [&](window w) {
      return layer{.rows = 4, .columns = columns, .channels = 2 * M::width + 3, .gap = 1, .win = w};
    };
    check<specialised(3, 1), M>(with(centred(3, 1, 1)));
    check<specialised(3, 2), M>(with(centred(3, 2, 2)));
    check<specialised(5, 1), M>(with(centred(5, 2, 1)));
    check<specialised(5, 2), M>(with(centred(5, 1, 2)));
    check<any, M>(with(centred(3, 1, 1)));
  }
}

TEST_CASE_TEMPLATE("depthwise: channel tails next to the forbidden page, on both sides", M, reference_machine,
                   cpu_machine<arch::native>) {
  for (std::int64_t channels = 1; channels <= 2 * M::width + 1; ++channels) {
    const layer l{.rows = 3, .columns = 13, .channels = channels, .win = centred(3, 1, 1)};
    check<specialised(3, 1), M>(l, guard::end);
    check<specialised(3, 1), M>(l, guard::start);
    check<any, M>(l, guard::end);
    check<any, M>(l, guard::start);
  }
}

TEST_CASE_TEMPLATE("depthwise: any filter, dilation, one-sided padding, multiplier", M, reference_machine,
                   cpu_machine<arch::native>) {
  int turn = 0;
  for (const layer& l : random_depthwise_layers(120, M::width))
    check<any, M>(l, ++turn % 2 ? guard::start : guard::end);
}

TEST_CASE_TEMPLATE("depthwise: layers of real networks", M, cpu_machine<arch::native>) {
  check<specialised(3, 1), M>({.rows = 6, .columns = 160, .channels = 32, .win = centred(3, 1, 1)});
  check<specialised(3, 1), M>({.rows = 5, .columns = 160, .channels = 64, .win = centred(3, 2, 1)});
  check<specialised(3, 2), M>({.rows = 5, .columns = 160, .channels = 128, .win = centred(3, 1, 2)});
  check<specialised(5, 1), M>({.rows = 3, .columns = 80, .channels = 480, .win = centred(5, 2, 1)});
  check<specialised(5, 1), M>({.rows = 3, .columns = 96, .channels = 88, .win = centred(5, 1, 1)});
}

TEST_CASE_TEMPLATE("depthwise: element types", M, reference_machine, cpu_machine<arch::native>) {
  const layer l{.rows = 4, .columns = 11, .channels = M::width + 3, .win = centred(3, 1, 1)};
  check<specialised(3, 1), M, half, float>(l);
  check<specialised(3, 1), M, float, half>(l, guard::end, 2e-3);
  check<specialised(3, 1), M, half, half, half>(l, guard::end, 2e-3);
  check<specialised(3, 1), M, bfloat16, bfloat16>(l, guard::end, 1.6e-2);
  check<specialised(3, 1), M, std::uint8_t, float>(l);
}

TEST_CASE_TEMPLATE("depthwise: dilation 2 gives the sums, not the bias", M, reference_machine,
                   cpu_machine<arch::native>) {
  image<float> x(1, 5, 5, 4), y(1, 5, 5, 4);
  x.fill_with([](auto, auto r, auto c, auto) { return static_cast<double>(r * 5 + c + 1); });
  const std::vector<float> w(36, 1.0f), bias(4, 1.0f);
  std::vector<float> packed(static_cast<std::size_t>(packed_depthwise_elements(4, 9, M::width)));
  pack_depthwise(w.data(), 4, 9, floats{}, bias.data(), M::width, packed.data());
  const plain p{.x = x.const_view(),
                .weights = packed.data(),
                .y = y.view(),
                .kernel = {3, 3},
                .dilation = {2, 2},
                .pad = {2, 2}};
  depthwise<any, M>(p, acc, serial{});
  const double want[5][5] = {
      {29, 33, 49, 33, 37}, {49, 53, 79, 53, 57}, {73, 79, 118, 79, 85}, {49, 53, 79, 53, 57}, {69, 73, 109, 73, 77}};
  CHECK(largest_error(y, [&](auto, auto r, auto c, auto) { return want[r][c]; }) == 0.0);
}

TEST_CASE_TEMPLATE("depthwise: output channel is c * multiplier + m", M, reference_machine, cpu_machine<arch::native>) {
  image<float> x(1, 1, 1, 2), y(1, 1, 1, 4);
  x(0, 0, 0, 0) = 10.0f, x(0, 0, 0, 1) = 100.0f;
  const std::vector<float> w{1, 2, 3, 4};
  std::vector<float> packed(static_cast<std::size_t>(packed_depthwise_elements(4, 1, M::width)));
  pack_depthwise(w.data(), 4, 1, floats{}, floats{}, M::width, packed.data());
  depthwise<any, M>(plain{.x = x.const_view(), .weights = packed.data(), .y = y.view(), .multiplier = 2}, acc,
                    serial{});
  const double want[] = {10, 20, 300, 400};
  CHECK(largest_error(y, [&](auto, auto, auto, auto o) { return want[o]; }) == 0.0);
}

TEST_CASE_TEMPLATE("depthwise: a scale is folded into the filter, not into the bias", M, reference_machine,
                   cpu_machine<arch::native>) {
  image<float> x(1, 1, 2, 3), y(1, 1, 2, 3);
  x.fill_with([](auto, auto, auto c, auto k) { return static_cast<double>(1 + c + 2 * k); });
  const std::vector<float> w{2, 3, 4}, scale{10, 100, 1000}, bias{1, 2, 3};
  std::vector<float> packed(static_cast<std::size_t>(packed_depthwise_elements(3, 1, M::width)));
  pack_depthwise(w.data(), 3, 1, scale.data(), bias.data(), M::width, packed.data());
  depthwise<any, M>(plain{.x = x.const_view(), .weights = packed.data(), .y = y.view()}, acc, serial{});
  const double factor[] = {20, 300, 4000};
  CHECK(largest_error(y, [&](auto, auto, auto c, auto k) {
          return static_cast<double>(1 + c + 2 * k) * factor[k] + static_cast<double>(k + 1);
        }) == 0.0);
}

TEST_CASE_TEMPLATE("depthwise: empty outputs and empty inputs", M, reference_machine, cpu_machine<arch::native>) {
  const window wide{{3, 3}, {1, 1}, {1, 1}, {2, 2, 2, 2}};
  check<any, M>({.rows = 2, .columns = 2, .channels = 3, .win = {{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}}});
  check<any, M>({.n = 0, .win = centred(3, 1, 1)});
  check<any, M>({.channels = 0, .win = centred(3, 1, 1)});
  check<specialised(3, 1), M>({.rows = 0, .columns = 4, .win = wide});
  check<any, M>({.rows = 3, .columns = 0, .win = wide});
}
