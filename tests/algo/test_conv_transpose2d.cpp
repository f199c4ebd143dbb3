// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <tkl/algo/conv_transpose2d.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/target/cpu.hpp>
#include <tkl/target/reference.hpp>

#include "cases/contractions.hpp"
#include "support/oracle_contraction.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

using cpu = cpu_machine<arch::native>;

struct cpu_case {
  using machine = cpu;
  static constexpr conv_schedule schedule = arch::native::conv;
};
struct cpu_cut {
  using machine = cpu;
  static constexpr conv_schedule schedule{
      .mr = cpu_case::schedule.mr, .nr = cpu_case::schedule.nr, .kc = 12, .mc = cpu_case::schedule.mr};
};
struct reference_case {
  using machine = reference_machine;
  static constexpr conv_schedule schedule{.mr = 4, .nr = 3, .kc = 20, .mc = 8};
};

using layer = transposed_layer;

conv2d_geometry geometry_of(const transposed_layer& l) {
  return {{l.kernel[0], l.kernel[1]},
          {l.stride[0], l.stride[1]},
          {l.dilation[0], l.dilation[1]},
          {l.pad[0], l.pad[1]},
          l.groups};
}

template <class Case, class TA = float, class E>
void check(const layer& l, const E& epilogue, std::int64_t gap = 0) {
  using M = typename Case::machine;
  using scalar = typename M::scalar;
  constexpr conv_schedule S = Case::schedule;
  guarded_tensor<TA> x(l.n, l.h, l.w, l.c, gap);
  x.fill(1);
  const conv_weights w{l.c, l.o, {l.kernel[0], l.kernel[1]}, l.groups};
  std::vector<double> raw(static_cast<std::size_t>(l.o * w.depth())), bias(static_cast<std::size_t>(l.o));
  fill(raw.data(), raw.size(), 2);
  fill(bias.data(), bias.size(), 3);
  auto packed = aligned_memory<scalar>(packed_conv_transpose2d_elements(w, l.stride, M::width));
  pack_conv_transpose2d<scalar>(raw.data(), w, l.stride, l.dilation, static_cast<const double*>(nullptr), bias.data(),
                                panels_of(S.nr, M::width), packed.data());
  guarded_tensor<scalar> y(l.n, l.out(0), l.out(1), l.o, gap), again(l.n, l.out(0), l.out(1), l.o, gap);
  const conv2d_geometry g = geometry_of(l);
  const std::int64_t bytes = conv_transpose2d_scratch_bytes(S, g, x.view().shape, y.view().shape, sizeof(TA));
  auto scratch = aligned_memory<std::byte>(bytes);
  auto scratch3 = aligned_memory<std::byte>(3 * bytes);
  conv_transpose2d_problem<TA, scalar, scalar> p{x.const_view(), packed.data(), y.view(), g};
  conv_transpose2d<S, M>(p, epilogue, serial{}, scratch.data());
  p.y = again.view();
  conv_transpose2d<S, M>(p, epilogue, uneven_executor{}, scratch3.data());
  CHECK(y.gaps_intact());
  if (y.size() > 0) CHECK(std::memcmp(y.data(), again.data(), y.size() * sizeof(scalar)) == 0);

  const auto read_x = [&](std::int64_t n, std::int64_t h, std::int64_t q, std::int64_t c) {
    return read(x.at(n, h, q, c));
  };
  const auto sums = conv_transpose2d_all(read_x, x.view().shape, y.view().shape, raw.data(), g);
  int wrong = 0;
  std::size_t i = 0;
  for (std::int64_t n = 0; n < l.n; ++n)
    for (std::int64_t oh = 0; oh < l.out(0); ++oh)
      for (std::int64_t ow = 0; ow < l.out(1); ++ow)
        for (std::int64_t o = 0; o < l.o; ++o, ++i) {
          exact_sum s = sums[i];
          s.add(bias[static_cast<std::size_t>(o)], 1);
          const double expected = eval(epilogue, reference_machine::leaf{s.sum, position{{n, oh, ow}, o}, 1});
          const double got = read(y.at(n, oh, ow, o));
          if (!(std::fabs(got - expected) <= error_bound<M>(s) + 0x1p-22 * std::fabs(expected)) && ++wrong < 4)
            MESSAGE(n << " " << oh << " " << ow << " " << o << ": " << got << " instead of " << expected);
        }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("layers against the definition", Case, cpu_case, cpu_cut, reference_case) {
  guarded_tensor<float> scale(1, 1, 1, 24);
  scale.fill(4);
  for (const layer& l : transposed_layers) {
    const std::string name = std::to_string(&l - transposed_layers);
    CAPTURE(name);
    check<Case>(l, acc);
    check<Case>(l, tkl::tanh(acc), 1);
    check<Case>(l, relu(acc * channel_node<float>{{}, scale.data()}), 3);
  }
}

TEST_CASE_TEMPLATE("every kernel, stride, dilation and padding of a small range", Case, cpu_case, reference_case) {
  for_transposed_layers([](const layer& l) { check<Case>(l, acc); });
}

TEST_CASE("other element types") {
  check<cpu_case, half>(transposed_layers[2], acc);
}

namespace {

/// f32, NCHW in and out, no bias.
std::vector<float> spread(const layer& l, const std::vector<float>& x, const std::vector<float>& weights) {
  guarded_tensor<float> in(l.n, l.h, l.w, l.c), out(l.n, l.out(0), l.out(1), l.o);
  for (std::int64_t c = 0; c < l.c; ++c)
    for (std::int64_t h = 0; h < l.h; ++h)
      for (std::int64_t w = 0; w < l.w; ++w) in.at(0, h, w, c) = x[static_cast<std::size_t>((c * l.h + h) * l.w + w)];
  constexpr conv_schedule S = cpu_case::schedule;
  const conv_weights w{l.c, l.o, {l.kernel[0], l.kernel[1]}, l.groups};
  auto packed = aligned_memory<float>(packed_conv_transpose2d_elements(w, l.stride, cpu::width));
  pack_conv_transpose2d<float>(weights.data(), w, l.stride, l.dilation, static_cast<const float*>(nullptr),
                               static_cast<const float*>(nullptr), panels_of(S.nr, cpu::width), packed.data());
  auto scratch =
      aligned_memory<std::byte>(conv_transpose2d_scratch_bytes(S, geometry_of(l), in.view().shape, out.view().shape));
  conv_transpose2d<S, cpu>(
      conv_transpose2d_problem<float, float, float>{in.const_view(), packed.data(), out.view(), geometry_of(l)}, acc,
      serial{}, scratch.data());
  std::vector<float> y;
  for (std::int64_t c = 0; c < l.o; ++c)
    for (std::int64_t h = 0; h < l.out(0); ++h)
      for (std::int64_t q = 0; q < l.out(1); ++q) y.push_back(out.at(0, h, q, c));
  return y;
}

std::vector<float> counted(int n, float first = 1) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(first + static_cast<float>(i));
  return v;
}

using floats = std::vector<float>;

}  // namespace

TEST_CASE("SAME padding at stride 1, resolved") {
  CHECK(spread({1, 2, 2, 1, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, counted(4, 2), counted(9, 2)) ==
        floats{49, 63, 91, 105});
}

TEST_CASE("stride together with dilation") {
  CHECK(spread({1, 3, 3, 1, 1, {3, 3}, {2, 2}, {2, 2}, {2, 2, 2, 2}}, counted(9), counted(9)) ==
        floats{26, 0, 56, 0, 54, 0, 0, 0, 0, 0, 84, 0, 165, 0, 144, 0, 0, 0, 0, 0, 134, 0, 236, 0, 186});
  const layer l{1, 50, 50, 1, 1, {3, 5}, {2, 1}, {3, 1}, {4, 2, 4, 2}};
  CHECK(l.out(0) == 97);
  CHECK(l.out(1) == 50);
  check<cpu_case>(l, acc);
}

TEST_CASE("output padding holds real contributions") {
  CHECK(spread({1, 2, 2, 1, 1, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, counted(4), counted(9)) ==
        floats{5, 14, 10, 12, 14, 36, 24, 30, 15, 34, 20, 24, 24, 55, 32, 36});
}

TEST_CASE("weight layout under groups") {
  floats w = counted(9);
  for (float v : counted(9)) w.push_back(v);
  CHECK(spread({1, 2, 2, 2, 2, {3, 3}, {1, 1}, {1, 1}, {}, {}, 2}, counted(8), w) ==
        floats{1, 4,  7,  6,  7,  23, 33, 24, 19, 53,  63,  42,  21, 52,  59,  36,
               5, 16, 27, 18, 27, 71, 97, 60, 63, 149, 175, 102, 49, 112, 127, 72});
}
