// SPDX-License-Identifier: Apache-2.0
// Extents of convolution, pooling, transposed convolution: every small combination against a count of window positions.
#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <tkl/op/conv.hpp>
#include <tkl/op/pool.hpp>
#include <tkl/op/window.hpp>

using tkl::auto_pad;
using tkl::window_axis;

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Counts the windows that lie inside the padded input, by walking over positions.
std::int64_t count_positions(const window_axis& w) {
  std::int64_t count = 0;
  for (std::int64_t start = -w.before; start + (w.kernel - 1) * w.dilation < w.input + w.after; start += w.stride)
    ++count;
  return count;
}

bool sees_input(const window_axis& w, std::int64_t start) {
  for (std::int64_t k = 0; k < w.kernel; ++k)
    if (start + k * w.dilation >= 0 && start + k * w.dilation < w.input) return true;
  return false;
}

}  // namespace

// A kernel that does not fit has no output: 2 - 3 = -1 before the + 1.
static_assert(!tkl::conv_extent({2, 3, 1, 1, 0, 0, auto_pad::given, 0}).ok());
static_assert(!tkl::conv_extent({4, 3, 1, 2, 0, 0, auto_pad::given, 0}).ok());
static_assert(tkl::conv_extent({5, 3, 1, 2, 0, 0, auto_pad::given, 0}).extent == 1);
// Transposed convolution with stride and dilation: 50x50, kernel 3x5, dilation 3x1, stride 2x1, pads 4 and 2.
static_assert(tkl::conv_transpose_extent({50, 3, 2, 3, 4, 4, auto_pad::given, 0}, 0).extent == 97);
static_assert(tkl::conv_transpose_extent({50, 5, 1, 1, 2, 2, auto_pad::given, 1}, 0).extent == 50);
// Ceil mode: a window that would start beyond the input is dropped.
static_assert(tkl::pool_extent({4, 1, 2, 1, 0, 0, auto_pad::given, 0}, true).extent == 2);
static_assert(tkl::pool_extent({5, 2, 2, 1, 0, 0, auto_pad::given, 0}, true).extent == 3);
// Padding as large as the kernel makes windows without elements.
static_assert(!tkl::pool_extent({1, 3, 3, 1, 3, 3, auto_pad::given, 0}, false).ok());

TEST_CASE("convolution extents equal the count of window positions") {
  for (std::int64_t input = 0; input <= 9; ++input)
    for (std::int64_t kernel = 1; kernel <= 5; ++kernel)
      for (std::int64_t stride = 1; stride <= 4; ++stride)
        for (std::int64_t dilation = 1; dilation <= 3; ++dilation)
          for (std::int64_t before = 0; before <= 5; ++before)
            for (std::int64_t after = 0; after <= 5; ++after) {
              const window_axis w{input, kernel, stride, dilation, before, after, auto_pad::given, 0};
              const tkl::window_extent e = tkl::conv_extent(w);
              const std::int64_t count = count_positions(w);
              REQUIRE(e.ok() == (count > 0));
              if (!e.ok()) continue;
              REQUIRE(e.extent == count);
              REQUIRE(e.before == before);
              REQUIRE(e.after == after);
            }
}

TEST_CASE("automatic padding gives ceil(input / stride) outputs with the least padding") {
  for (const auto_pad rule : {auto_pad::same_upper, auto_pad::same_lower})
    for (std::int64_t input = 1; input <= 12; ++input)
      for (std::int64_t kernel = 1; kernel <= 7; ++kernel)
        for (std::int64_t stride = 1; stride <= 4; ++stride)
          for (std::int64_t dilation = 1; dilation <= 3; ++dilation) {
            const window_axis w{input, kernel, stride, dilation, 0, 0, rule, 0};
            const tkl::window_extent e = tkl::conv_extent(w);
            REQUIRE(e.ok());
            std::int64_t outputs = 0, total = 0;
            while (outputs * stride < input) ++outputs;
            while ((outputs - 1) * stride + (kernel - 1) * dilation + 1 > input + total) ++total;
            REQUIRE(e.extent == outputs);
            REQUIRE(e.before + e.after == total);
            const std::int64_t more = rule == auto_pad::same_upper ? e.after - e.before : e.before - e.after;
            REQUIRE((more == 0 || more == 1));
            const tkl::window_extent p = tkl::pool_extent(w, true);
            if (p.ok()) REQUIRE(p.extent == outputs);
          }
  const tkl::window_extent none = tkl::conv_extent({7, 3, 2, 1, 9, 9, auto_pad::valid, 0});
  CHECK(none.extent == 3);
  CHECK(none.before + none.after == 0);
}

TEST_CASE("pooling extents equal the count of windows, none of which is empty") {
  for (const bool ceil_mode : {false, true})
    for (std::int64_t input = 0; input <= 8; ++input)
      for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
        for (std::int64_t stride = 1; stride <= 5; ++stride)
          for (std::int64_t dilation = 1; dilation <= 3; ++dilation)
            for (std::int64_t before = 0; before <= 5; ++before)
              for (std::int64_t after = 0; after <= 5; ++after) {
                const window_axis w{input, kernel, stride, dilation, before, after, auto_pad::given, 0};
                const tkl::window_extent e = tkl::pool_extent(w, ceil_mode);
                const std::int64_t reach = (kernel - 1) * dilation + 1, end = input + after;
                // Windows in order; in ceil mode also one that hangs over, as long as it starts before the end of the
                // input and the one before it does not reach the padded end.
                std::int64_t count = 0;
                bool all_see = input > 0 && before < reach && after < reach;
                for (std::int64_t o = 0;; ++o) {
                  const std::int64_t start = o * stride - before;
                  const bool whole = start + reach <= end;
                  const bool hangs = ceil_mode && o > 0 && start < input && start - stride + reach < end;
                  if (!whole && !hangs) break;
                  if (whole && ceil_mode && start >= input) break;
                  ++count;
                  all_see = all_see && sees_input(w, start);
                }
                if (input + before + after < reach) count = 0;
                REQUIRE(e.ok() == (count > 0 && all_see));
                if (e.ok()) REQUIRE(e.extent == count);
              }
}

TEST_CASE("transposed convolution extents equal the reach of what is added up") {
  for (std::int64_t input = 1; input <= 6; ++input)
    for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
      for (std::int64_t stride = 1; stride <= 4; ++stride)
        for (std::int64_t dilation = 1; dilation <= 3; ++dilation)
          for (std::int64_t before = 0; before <= 3; ++before)
            for (std::int64_t after = 0; after <= 3; ++after)
              for (std::int64_t output_pad = 0; output_pad <= 4; ++output_pad) {
                std::int64_t largest = 0;
                for (std::int64_t i = 0; i < input; ++i)
                  for (std::int64_t k = 0; k < kernel; ++k) largest = i * stride + k * dilation;
                const std::int64_t extent = largest + 1 + output_pad - before - after;
                const tkl::window_extent e = tkl::conv_transpose_extent(
                    {input, kernel, stride, dilation, before, after, auto_pad::given, 0}, output_pad);
                const bool allowed = output_pad < stride || output_pad < dilation;
                REQUIRE(e.ok() == (allowed && extent > 0));
                if (e.ok()) REQUIRE(e.extent == extent);
              }
  for (const auto_pad rule : {auto_pad::same_upper, auto_pad::same_lower})
    for (std::int64_t input = 1; input <= 6; ++input)
      for (std::int64_t kernel = 1; kernel <= 5; ++kernel)
        for (std::int64_t stride = 1; stride <= 4; ++stride) {
          const tkl::window_extent e = tkl::conv_transpose_extent({input, kernel, stride, 1, 0, 0, rule, 0}, 0);
          REQUIRE(e.ok() == (kernel >= stride || rule == auto_pad::same_upper));
          if (!e.ok()) continue;
          REQUIRE(e.extent == input * stride);
          REQUIRE((input - 1) * stride + kernel + e.output_pad - e.before - e.after == e.extent);
        }
}

TEST_CASE("window mistakes name the axis, the attribute and the values") {
  const auto error = [](const window_axis& w) { return tkl::conv_extent(w).error; };
  CHECK(error({4, 3, 0, 1, 0, 0, auto_pad::given, 0}).view() == "axis 1 (rows): stride is 0, must be at least 1");
  CHECK(error({4, 3, 1, -2, 0, 0, auto_pad::given, 1}).view() ==
        "axis 2 (columns): dilation is -2, must be at least 1");
  CHECK(error({4, 3, 1, 1, 0, -1, auto_pad::given, 1}).view() ==
        "axis 2 (columns): pad after is -1, must be at least 0");
  CHECK(error({4, 0, 1, 1, 0, 0, auto_pad::given, 0}).view() == "axis 1 (rows): kernel is 0, must be at least 1");
  CHECK(
      error({2, 3, 1, 2, 0, 1, auto_pad::given, 0}).view() ==
      "axis 1 (rows): the kernel does not fit: it covers 5 (kernel 3, dilation 2), the padded input has 3 (0 + 2 + 1)");
  // Padding beyond any memory: refused by name, without overflow.
  const std::int64_t huge = std::int64_t{1} << 55;
  CHECK(contains(error({1, 1, 1, 1, huge, huge, auto_pad::given, 0}).view(),
                 "axis 1 (rows): pad before is 36028797018963968"));
  const std::int64_t most = tkl::largest_attribute;
  CHECK(tkl::conv_extent({1, 1, 1, 1, most, most, auto_pad::given, 0}).extent == 2 * most + 1);
  CHECK(!tkl::conv2d_rule({most, 1, 1, 1}, {1, 1, 1, 1}, {.pad = most}).result.ok());
  CHECK(!tkl::conv_extent({std::int64_t{1} << 62, most, 1, most, 0, 0, auto_pad::same_upper, 0}).ok());
  CHECK(tkl::conv_transpose_extent({std::int64_t{1} << 62, 3, 4, 1, 0, 0, auto_pad::given, 0}, 0).error.view() ==
        "axis 1 (rows): input 4611686018427387904 with stride 4 leaves 64 bits");
}

// Params are structural: function argument, template argument, and in a builder.
template <tkl::conv2d_params P>
constexpr std::int64_t rows_of(const tkl::shape& x, const tkl::shape& w) {
  return tkl::conv2d_rule(x, w, P).result.out[1];
}
static_assert(rows_of<tkl::conv2d_params{.stride = 2, .pad = {1, 1, 0, 1}, .groups = 4}>({1, 8, 8, 4}, {4, 1, 3, 3}) ==
              4);
static_assert(rows_of<tkl::conv2d_params{.stride = {2, 1}, .pad = tkl::same}>({1, 7, 8, 4}, {4, 4, 3, 3}) == 4);
static_assert(tkl::conv2d_params{.pad = 1} == tkl::conv2d_params{.pad = {1, 1, 1, 1}});
static_assert(tkl::conv2d_params{.pad = {1, 0}} == tkl::conv2d_params{.pad = {1, 0, 1, 0}});

TEST_CASE("convolution and pooling rules on shapes") {
  const auto conv = [](const tkl::shape& x, const tkl::shape& w, const tkl::conv2d_params& p) {
    return tkl::conv2d_rule(x, w, p).result;
  };
  CHECK(conv({2, 224, 224, 3}, {64, 3, 7, 7}, {.stride = 2, .pad = 3}).out == tkl::shape{2, 112, 112, 64});
  CHECK(conv({1, 48, 320, 16}, {16, 1, 3, 3}, {.stride = {2, 1}, .pad = 1, .groups = 16}).out ==
        tkl::shape{1, 24, 320, 16});
  CHECK(conv({0, 8, 8, 4}, {6, 4, 3, 3}, {}).out == tkl::shape{0, 6, 6, 6});
  CHECK(conv({1, 8, 8, 4}, {6, 1, 1, 1}, {.groups = 4}).error.view() ==
        "weight has 6 output channels, not a multiple of groups 4");
  CHECK(conv({1, 8, 8, 6}, {8, 1, 1, 1}, {.groups = 4}).error.view() ==
        "input has 6 channels, not a multiple of groups 4");
  CHECK(conv({1, 8, 8, 6}, {8, 6, 1, 1}, {.groups = 0}).error.view() ==
        "groups is 0, must be at least 1 and at most 2147483647");
  CHECK(conv({1, 8, 8, 8}, {8, 8, 1, 1}, {.groups = 4}).error.view() ==
        "input has 8 channels in 4 groups of 2, weight expects 8");
  CHECK(conv({1, 8, 8}, {8, 8, 1, 1}, {}).error.view() ==
        "input has shape 1x8x8 with 3 axes, needs 4: batch, row, column, channel");
  CHECK(conv({1, 8, 8, 8}, {8, 8}, {}).error.view() == "weight has shape 8x8 with 2 axes, needs 4");
  CHECK(tkl::conv_transpose2d_rule({1, 8, 8, 6}, {6, 2, 2, 2}, {.stride = 2, .groups = 3}).result.out ==
        tkl::shape{1, 16, 16, 6});
  CHECK(tkl::conv_transpose2d_rule({1, 8, 8, 6}, {4, 2, 2, 2}, {}).result.error.view() ==
        "input has 6 channels, weight expects 4");
  CHECK(tkl::pool2d_rule({1, 3, 80, 480}, tkl::average_pool2d_params{.kernel = {3, 2}}).result.out ==
        tkl::shape{1, 1, 40, 480});
  CHECK(tkl::pool2d_rule({1, 8, 8, 4}, tkl::max_pool2d_params{}).result.error.view() == "kernel is not given");
  CHECK(
      tkl::pool2d_rule({1, 1, 1, 1}, tkl::max_pool2d_params{.kernel = 3, .stride = 3, .pad = 3}).result.error.view() ==
      "axis 1 (rows): pad 3 must be below the kernel, which covers 3: a window would see no element");
  CHECK(
      tkl::pool2d_rule({1, 0, 4, 1}, tkl::max_pool2d_params{.kernel = 1}).result.error.view() ==
      "axis 1 (rows): the kernel does not fit: it covers 1 (kernel 1, dilation 1), the padded input has 0 (0 + 0 + 0)");
}
