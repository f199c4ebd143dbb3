// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <tkl/algo/conv2d_staged.hpp>
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

struct cpu_case {
  using machine = cpu_machine<arch::native>;
  static constexpr conv_schedule schedule = arch::native::conv;
};
struct cpu_cut {
  using machine = cpu_machine<arch::native>;
  static constexpr conv_schedule schedule{
      .mr = cpu_case::schedule.mr, .nr = cpu_case::schedule.nr, .kc = 12, .mc = cpu_case::schedule.mr, .band = 1};
};
struct reference_case {
  using machine = reference_machine;
  static constexpr conv_schedule schedule{.mr = 4, .nr = 3, .kc = 20, .mc = 8, .band = 3};
};

/// How the input lies in memory.
enum class order { nhwc, nchw, reversed };

using layer = conv_layer;

/// `image(n, h, w, c)` is what the prologue must make of x; the convolution of that is the expected result.
template <class Case, class TA, class P, class E>
void check(const layer& l, order in_memory, const P& prologue, const E& epilogue, std::int64_t gap = 0) {
  using M = typename Case::machine;
  using scalar = typename M::scalar;
  constexpr conv_schedule S = Case::schedule;
  guarded_tensor<TA> x = in_memory == order::nchw ? guarded_tensor<TA>(l.n, l.c, l.h, l.w, gap)
                                                  : guarded_tensor<TA>(l.n, l.h, l.w, l.c, gap);
  x.fill(5);
  const auto read_x = [&](std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) -> TA {
    if (in_memory == order::nchw) return x.at(n, c, h, w);
    return x.at(n, h, w, in_memory == order::reversed ? l.c - 1 - c : c);
  };
  conv2d_staged_problem<TA, scalar, scalar> p;
  p.x.data = x.data();
  p.x.shape = x.const_view().shape;
  if (in_memory == order::nchw) {
    const strided_shape planes = x.const_view().shape;
    const auto& s = planes.stride;
    p.x.shape = {{l.n, l.h, l.w, l.c}, {s[0], s[2], 1}};
    p.inner = s[1];
  } else if (in_memory == order::reversed) {
    p.x.data += l.c - 1;
    p.inner = -1;
  }

  const conv_weights w{l.c, l.o, {l.kernel[0], l.kernel[1]}, l.groups};
  std::vector<double> raw(static_cast<std::size_t>(l.o * w.depth())), bias(static_cast<std::size_t>(l.o));
  fill(raw.data(), raw.size(), 2);
  fill(bias.data(), bias.size(), 3);
  auto packed = aligned_memory<scalar>(packed_conv2d_elements(w, M::width));
  pack_conv2d<scalar>(raw.data(), w, static_cast<const double*>(nullptr), bias.data(), panels_of(S.nr, M::width),
                      packed.data());
  p.weights = packed.data();
  p.geometry = {{l.kernel[0], l.kernel[1]},
                {l.stride[0], l.stride[1]},
                {l.dilation[0], l.dilation[1]},
                {l.pad[0], l.pad[1]},
                l.groups};

  guarded_tensor<scalar> y(l.n, l.out(0), l.out(1), l.o, gap), again(l.n, l.out(0), l.out(1), l.o, gap);
  const std::int64_t bytes = conv2d_staged_scratch_bytes(S, p.geometry, p.x.shape, y.view().shape, sizeof(scalar));
  auto scratch = aligned_memory<std::byte>(bytes);
  auto scratch3 = aligned_memory<std::byte>(3 * bytes);
  p.y = y.view();
  conv2d_staged<S, M>(p, prologue, epilogue, serial{}, scratch.data());
  p.y = again.view();
  conv2d_staged<S, M>(p, prologue, epilogue, uneven_executor{}, scratch3.data());
  CHECK(y.gaps_intact());
  if (y.size() > 0) CHECK(std::memcmp(y.data(), again.data(), y.size() * sizeof(scalar)) == 0);

  const auto image = [&](std::int64_t n, std::int64_t h, std::int64_t q, std::int64_t c) {
    return eval(prologue, reference_machine::leaf{read(read_x(n, h, q, c)), position{{n, h, q}, c}, 1});
  };
  int wrong = 0;
  for (std::int64_t n = 0; n < l.n; ++n)
    for (std::int64_t oh = 0; oh < l.out(0); ++oh)
      for (std::int64_t ow = 0; ow < l.out(1); ++ow)
        for (std::int64_t o = 0; o < l.o; ++o) {
          exact_sum s = conv2d_at(image, p.x.shape, l.o, raw.data(), p.geometry, n, oh, ow, o);
          s.add(bias[static_cast<std::size_t>(o)], 1);
          const double expected = eval(epilogue, reference_machine::leaf{s.sum, position{{n, oh, ow}, o}, 1});
          const double got = read(y.at(n, oh, ow, o));
          if (!(std::fabs(got - expected) <= error_bound<M>(s) + 0x1p-22 * std::fabs(expected)) && ++wrong < 4)
            MESSAGE(n << " " << oh << " " << ow << " " << o << ": " << got << " instead of " << expected);
        }
  CHECK(wrong == 0);
}

constexpr order orders[] = {order::nhwc, order::nchw, order::reversed};

}  // namespace

TEST_CASE_TEMPLATE("layers in three memory orders", Case, cpu_case, cpu_cut, reference_case) {
  for (const layer& l : staged_layers)
    for (order o : orders) {
      const std::string name = std::to_string(&l - staged_layers) + " order " + std::to_string(static_cast<int>(o));
      CAPTURE(name);
      check<Case, float>(l, o, acc, acc);
      check<Case, float>(l, o, acc, relu(acc), 5);
    }
}

TEST_CASE_TEMPLATE("bytes are normalised once, and padding is zero after it", Case, cpu_case, reference_case) {
  const auto normalised = (acc * (1.0f / 255.0f) - 0.5f) * 2.0f;
  for (const layer& l : staged_layers)
    for (order o : orders) check<Case, std::uint8_t>(l, o, normalised, relu(acc));
}

TEST_CASE_TEMPLATE("a prologue that names its place", Case, cpu_case, reference_case) {
  guarded_tensor<float> mean(1, 1, 1, 19), scale(1, 1, 1, 19);
  mean.fill(11), scale.fill(12);
  const auto per_channel = (acc - channel_node<float>{{}, mean.data()}) * channel_node<float>{{}, scale.data()};
  const auto kept = tkl::select(less(index_node{{}, 2}, 5.0f), acc, 0.0f);
  for (const layer& l : staged_layers)
    for (order o : orders) {
      check<Case, float>(l, o, per_channel, acc);
      check<Case, std::uint8_t>(l, o, kept, acc);
    }
}

TEST_CASE_TEMPLATE("widths around every border", Case, cpu_case, cpu_cut) {
  for (std::int64_t w = 1; w <= 35; ++w)
    for (order o : orders)
      check<Case, std::uint8_t>({1, 3, w, 3, 3, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}, o, acc, acc);
}
