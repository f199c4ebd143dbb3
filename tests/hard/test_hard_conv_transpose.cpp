// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions whose results are known exactly: automatic padding, dilation, output padding, groups.
// tkl-test: timeout=600
#include <tkl/conv.hpp>

#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::value;
using enum tkl::memory_layout;

namespace {

const std::vector<double> automatic = {49, 63, 91, 105};
const std::vector<double> spread = {26, 0,   56, 0, 54, 0, 0, 0,   0, 0,   84, 0,  165,
                                    0,  144, 0,  0, 0,  0, 0, 134, 0, 236, 0,  186};
const std::vector<double> lengthened = {5, 14, 10, 12, 14, 36, 24, 30, 15, 34, 20, 24, 24, 55, 32, 36};
const std::vector<double> grouped = {1, 4,  7,  6,  7,  23, 33, 24, 19, 53,  63,  42,  21, 52,  59,  36,
                                     5, 16, 27, 18, 27, 71, 97, 60, 63, 149, 175, 102, 49, 112, 127, 72};

template <flavour F>
struct transposed {
  static constexpr void build(graph& g) {
    const value automatic_x = g.input("automatic.x", f32, {1, 2, 2, 1});
    declare<F>(g, tkl::conv_transpose2d(automatic_x, g.weight("automatic.w", {1, 1, 3, 3}), {.pad = tkl::same_upper}),
               "automatic");
    const value w = g.weight("w", {1, 1, 3, 3});
    declare<F>(g,
               tkl::conv_transpose2d(g.input("spread.x", f32, {1, 3, 3, 1}), w, {.stride = 2, .pad = 2, .dilation = 2}),
               "spread");
    declare<F>(
        g,
        tkl::conv_transpose2d(g.input("lengthened.x", f32, {1, 2, 2, 1}), w, {.stride = 2, .pad = 1, .output_pad = 1}),
        "lengthened");
    const value two = g.input("grouped.x", f32, {1, 2, 2, 2}, nchw);
    declare<F>(g, tkl::conv_transpose2d(two, g.weight("grouped.w", {2, 1, 3, 3}), {.groups = 2}), "grouped", nchw);
  }
};

}  // namespace

TEST_CASE("transposed convolutions: automatic padding, stride with dilation, output padding, groups") {
  check_flavours<transposed>({
      .given = {{"automatic.x", counting(4, 2)},
                {"automatic.w", counting(9, 2)},
                {"w", counting(9)},
                {"spread.x", counting(9)},
                {"lengthened.x", counting(4)},
                {"grouped.x", counting(8)},
                {"grouped.w", joined(counting(9), counting(9))}},
      .results = {{"automatic", automatic}, {"spread", spread}, {"lengthened", lengthened}, {"grouped", grouped}},
  });
}

#if !defined(TKL_HARD_ON_DEVICE)  // what follows is of the CPU alone
TEST_CASE("the same numbers with extents known when the program runs") {
  struct eager_case {
    tkl::shape x, w;
    tkl::conv_transpose2d_params params;
    std::vector<double> in, weights, out;  // x and y as channel, row, column
  };
  const std::vector<eager_case> cases = {
      {{1, 2, 2, 1}, {1, 1, 3, 3}, {.pad = tkl::same_upper}, counting(4, 2), counting(9, 2), automatic},
      {{1, 3, 3, 1}, {1, 1, 3, 3}, {.stride = 2, .pad = 2, .dilation = 2}, counting(9), counting(9), spread},
      {{1, 2, 2, 1}, {1, 1, 3, 3}, {.stride = 2, .pad = 1, .output_pad = 1}, counting(4), counting(9), lengthened},
      {{1, 2, 2, 2}, {2, 1, 3, 3}, {.groups = 2}, counting(8), joined(counting(9), counting(9)), grouped},
  };
  for (const eager_case& k : cases) {
    tkl::tensor<float, tkl::nhwc<>> x(tkl::nhwc(k.x[0], k.x[1], k.x[2], k.x[3]));
    tkl::tensor<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>> w(
        tkl::row_major(k.w[0], k.w[1], k.w[2], k.w[3]));
    const auto channel_first = [](auto& t, const tkl::shape& s, auto each) {
      std::size_t i = 0;
      for (std::int64_t c = 0; c < s[3]; ++c)
        for (std::int64_t h = 0; h < s[1]; ++h)
          for (std::int64_t v = 0; v < s[2]; ++v) each(t(0, h, v, c), i++);
    };
    channel_first(x, k.x, [&](float& e, std::size_t i) { e = static_cast<float>(k.in[i]); });
    std::size_t i = 0;
    for (float& e : w) e = static_cast<float>(k.weights[i++]);
    const tkl::shape s = tkl::conv_transpose2d_rule(k.x, k.w, k.params).result.out;
    tkl::tensor<float, tkl::nhwc<>> y(tkl::nhwc(s[0], s[1], s[2], s[3]));
    for (float& e : y) e = std::numeric_limits<float>::quiet_NaN();
    const std::string message =
        tkl::assign(y, tkl::relu(tkl::conv_transpose2d(x, w, k.params) * 2.0f + 1.0f)).message();
    CHECK(message == "");
    channel_first(y, s, [&](float& e, std::size_t j) { CHECK(static_cast<double>(e) == after(k.out[j])); });
  }
}

TEST_CASE("extents of stride together with dilation") {
  constexpr tkl::conv_rule rule =
      tkl::conv_transpose2d_rule({1, 50, 50, 1}, {1, 1, 3, 5}, {.stride = {2, 1}, .pad = {4, 2}, .dilation = {3, 1}});
  static_assert(rule.result.ok());
  static_assert(rule.result.out == tkl::shape{1, 97, 50, 1});
}
#endif
