// SPDX-License-Identifier: Apache-2.0
// Contractions and depthwise convolutions with weights of 16 bits: the bits of the same kernel with these weights in
// f32, since widening is exact; with biases that no 16 bits hold, which are f32 in both.
#include <doctest/doctest.h>

#include <cstring>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/conv2d_staged.hpp>
#include <tkl/algo/conv_transpose2d.hpp>
#include <tkl/algo/depthwise.hpp>
#include <tkl/algo/matmul.hpp>
#include <tkl/algo/pack_depthwise.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/target/cpu.hpp>
#include <vector>

#include "support/oracle_contraction.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

using machine = cpu_machine<arch::native>;
constexpr conv_schedule schedule{.mr = arch::native::conv.mr, .nr = arch::native::conv.nr, .kc = 20, .mc = 16};
constexpr panel_shape panels = panels_of(schedule.nr, machine::width);

struct numbers {
  std::vector<float> weights, biases;
};
/// Weights that T holds, and biases that are neither f16 nor bf16.
template <class T>
numbers numbers_of(std::int64_t weights, std::int64_t biases) {
  numbers n{std::vector<float>(static_cast<std::size_t>(weights)),
            std::vector<float>(static_cast<std::size_t>(biases))};
  fill(n.weights.data(), n.weights.size(), 2);
  fill(n.biases.data(), n.biases.size(), 3);
  for (float& w : n.weights) w = to_float(packed_element<T>(static_cast<double>(w)));
  for (float& b : n.biases) b += 70001;
  return n;
}

/// Outputs of `run(weights type, y)` with weights in T and in f32.
template <class T, class Run>
void check_same_bits(std::int64_t outputs, const Run& run) {
  auto narrow = aligned_memory<float>(outputs), wide = aligned_memory<float>(outputs);
  run(T{}, narrow.data());
  run(0.0f, wide.data());
  CHECK(std::memcmp(narrow.data(), wide.data(), static_cast<std::size_t>(outputs) * sizeof(float)) == 0);
  CHECK(wide.data()[0] > 60000);
}

constexpr const float* no_scale = nullptr;

template <class T>
void check_conv2d(std::int64_t groups, std::int64_t kernel, std::int64_t rows, std::int64_t channels) {
  const conv_weights w{groups * channels, groups * (machine::width + 3), {kernel, kernel}, groups};
  const std::int64_t outs = w.out_channels;
  const numbers n = numbers_of<T>(outs * w.depth(), outs);
  guarded_tensor<float> x(1, rows, 5, w.in_channels);
  x.fill(1);
  const conv2d_geometry g{{kernel, kernel}, {1, 1}, {1, 1}, {kernel / 2, kernel / 2}, groups};
  check_same_bits<T>(rows * 5 * outs, [&](auto type, float* y) {
    using TW = decltype(type);
    auto packed = aligned_memory<TW>(packed_conv2d_elements(w, machine::width, bias_rows<TW>));
    pack_conv2d(n.weights.data(), w, no_scale, n.biases.data(), panels, packed.data());
    const conv2d_problem<float, TW, float> p{
        x.const_view(), packed.data(), {y, {{1, rows, 5, outs}, {0, 5 * outs, outs}}}, g};
    auto scratch = aligned_memory<std::byte>(conv2d_scratch_bytes(schedule, g, p.x.shape, p.y.shape));
    conv2d<schedule, machine>(p, acc_node{}, serial{}, scratch.data());
  });
}

TEST_CASE("convolutions") {
  check_conv2d<half>(1, 3, 4, 7);   // strips of taps
  check_conv2d<half>(2, 1, 3, 50);  // strips of a tap
  check_conv2d<bfloat16>(2, 3, 2, 3);
}

TEST_CASE("products of one row") {
  const std::int64_t depth = 517, columns = 2 * panels.panel + 3;
  const numbers n = numbers_of<bfloat16>(depth * columns, columns);
  guarded_tensor<float> x(1, 1, 1, depth);
  x.fill(1);
  check_same_bits<bfloat16>(columns, [&](auto type, float* y) {
    using TW = decltype(type);
    auto packed = aligned_memory<TW>(packed_matrix_elements(depth, columns, machine::width, bias_rows<TW>));
    pack_matrix(n.weights.data(), columns, 1, depth, columns, no_scale, n.biases.data(), panels, packed.data());
    const packed_matmul_problem<float, TW, float> p{
        x.const_view(), packed.data(), {y, {{1, 1, 1, columns}, {0, 0, columns}}}};
    matmul<schedule.gemm(), machine>(p, acc_node{}, serial{});
  });
}

TEST_CASE("staged convolution") {
  const conv_weights w{3, 2 * machine::width + 1, {3, 3}, 1};
  const std::int64_t outs = w.out_channels;
  const numbers n = numbers_of<half>(outs * w.depth(), outs);
  guarded_tensor<float> x(1, 4, 6, 3);
  x.fill(1);
  check_same_bits<half>(4 * 6 * outs, [&](auto type, float* y) {
    using TW = decltype(type);
    auto packed = aligned_memory<TW>(packed_conv2d_elements(w, machine::width, bias_rows<TW>));
    pack_conv2d(n.weights.data(), w, no_scale, n.biases.data(), panels, packed.data());
    conv2d_staged_problem<float, TW, float> p;
    p.x = x.const_view();
    p.weights = packed.data();
    p.y = {y, {{1, 4, 6, outs}, {0, 6 * outs, outs}}};
    p.geometry = {{3, 3}, {1, 1}, {1, 1}, {1, 1}, 1};
    auto scratch = aligned_memory<std::byte>(
        conv2d_staged_scratch_bytes(schedule, p.geometry, p.x.shape, p.y.shape, sizeof(float)));
    conv2d_staged<schedule, machine>(p, acc_node{}, acc_node{}, serial{}, scratch.data());
  });
}

TEST_CASE("transposed convolution, a residue without taps among its residues") {
  const std::int64_t stride[2]{2, 3}, dilation[2]{1, 1};
  const conv_weights w{4, 2 * (machine::width + 1), {3, 2}, 2};
  const std::int64_t outs = w.out_channels, rows = 7, columns = 11;
  const numbers n = numbers_of<half>(outs * w.depth(), outs);
  guarded_tensor<float> x(1, 3, 4, 4);
  x.fill(1);
  const conv2d_geometry g{{3, 2}, {2, 3}, {1, 1}, {0, 0}, 2};
  check_same_bits<half>(rows * columns * outs, [&](auto type, float* y) {
    using TW = decltype(type);
    auto packed = aligned_memory<TW>(packed_conv_transpose2d_elements(w, stride, machine::width, bias_rows<TW>));
    pack_conv_transpose2d(n.weights.data(), w, stride, dilation, no_scale, n.biases.data(), panels, packed.data());
    const conv_transpose2d_problem<float, TW, float> p{
        x.const_view(), packed.data(), {y, {{1, rows, columns, outs}, {0, columns * outs, outs}}}, g};
    auto scratch = aligned_memory<std::byte>(conv_transpose2d_scratch_bytes(schedule, g, p.x.shape, p.y.shape));
    conv_transpose2d<schedule, machine>(p, acc_node{}, serial{}, scratch.data());
  });
}

template <class T, depthwise_schedule S>
void check_depthwise(std::int64_t kernel) {
  const std::int64_t channels = machine::width + 2, taps = kernel * kernel;
  const numbers n = numbers_of<T>(channels * taps, channels);
  guarded_tensor<float> x(1, 5, 7, channels);
  x.fill(1);
  check_same_bits<T>(5 * 7 * channels, [&](auto type, float* y) {
    using TW = decltype(type);
    auto packed = aligned_memory<TW>(packed_depthwise_elements(channels, taps, machine::width, bias_rows<TW>));
    pack_depthwise(n.weights.data(), channels, taps, no_scale, n.biases.data(), machine::width, packed.data());
    depthwise_problem<float, TW, float> p{.x = x.const_view(), .weights = packed.data()};
    p.y = {y, {{1, 5, 7, channels}, {0, 7 * channels, channels}}};
    for (int i = 0; i < 2; ++i) p.kernel[i] = kernel, p.pad[i] = kernel / 2;
    depthwise<S, machine>(p, acc_node{}, serial{});
  });
}

TEST_CASE("depthwise convolutions") {
  check_depthwise<half, depthwise_schedule_for(3, 3, 1, 1, 1, 4)>(3);
  check_depthwise<bfloat16, depthwise_schedule{}>(2);
}

}  // namespace
