// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <numeric>
#include <tkl/algo/pack.hpp>
#include <vector>

#include "support/guarded.hpp"

using namespace tkl;
using tkl::test::guard;
using tkl::test::guarded;

namespace {

/// Element (k, n) of a packed matrix, k = -1 for the bias.
double packed_at(const float* panels, std::int64_t depth, std::int64_t columns, panel_shape s, std::int64_t k,
                 std::int64_t n) {
  std::int64_t first = n / s.panel * s.panel;
  if (first > 0 && columns - first <= s.width && s.panel > s.width) first -= s.panel;  // one vector joins its neighbour
  const std::int64_t rest = columns - first;
  const std::int64_t stored =
      rest > s.panel + s.width || (rest > s.panel && s.panel == s.width) ? s.panel : round_up(rest, s.width);
  return static_cast<double>(panels[first * (1 + depth) + (1 + k) * stored + n - first]);
}

template <class T>
std::vector<T> counted(std::int64_t n) {
  std::vector<T> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), T(1));
  return v;
}

constexpr panel_shape shapes[] = {{16, 8}, {12, 4}, {3, 1}, {32, 16}, {8, 8}};

}  // namespace

TEST_CASE("matrices in both orders, with scale and bias, padding columns zero") {
  for (const panel_shape& s : shapes)
    for (std::int64_t depth : {0, 1, 5})
      for (std::int64_t columns : {0, 1, 7, 8, 9, 16, 17, 35}) {
        const auto b = counted<float>(depth * columns), scale = counted<float>(columns), bias = counted<float>(columns);
        const std::int64_t size = packed_matrix_elements(depth, columns, s.width);
        guarded<float> in_out(static_cast<std::size_t>(size), guard::end, 64),
            out_in(static_cast<std::size_t>(size), guard::end, 64);
        pack_matrix(b.data(), columns, 1, depth, columns, scale.data(), bias.data(), s, in_out.data());
        pack_matrix(b.data(), 1, depth, depth, columns, static_cast<const float*>(nullptr),
                    static_cast<const float*>(nullptr), s, out_in.data());
        double total = 0, sum = 0;
        for (std::int64_t n = 0; n < columns; ++n)
          for (std::int64_t k = -1; k < depth; ++k) {
            const double v = packed_at(in_out.data(), depth, columns, s, k, n);
            const double expected =
                k < 0 ? static_cast<double>(n + 1) : static_cast<double>((k * columns + n + 1) * (n + 1));
            CHECK(v == expected);
            CHECK(packed_at(out_in.data(), depth, columns, s, k, n) ==
                  (k < 0 ? 0 : static_cast<double>(n * depth + k + 1)));
            total += v;
          }
        for (float v : in_out) sum += static_cast<double>(v);
        CHECK(sum == total);  // what lies beyond the columns is zero
      }
}

TEST_CASE("convolution weights: order of the depth is tap row, tap column, channel; groups one after the other") {
  const conv_weights w{6, 10, {2, 3}, 2};
  const auto raw = counted<double>(10 * w.depth());
  const auto scale = counted<double>(10), bias = counted<double>(10);
  for (const panel_shape& s : shapes) {
    guarded<float> packed(static_cast<std::size_t>(packed_conv2d_elements(w, s.width)), guard::end, 64);
    pack_conv2d(raw.data(), w, scale.data(), bias.data(), s, packed.data());
    const std::int64_t group_size = packed_matrix_elements(w.depth(), 5, s.width);
    for (std::int64_t o = 0; o < 10; ++o) {
      const float* group = packed.data() + o / 5 * group_size;
      CHECK(packed_at(group, w.depth(), 5, s, -1, o % 5) == static_cast<double>(o + 1));
      for (std::int64_t u = 0; u < 2; ++u)
        for (std::int64_t v = 0; v < 3; ++v)
          for (std::int64_t i = 0; i < 3; ++i)
            CHECK(packed_at(group, w.depth(), 5, s, (u * 3 + v) * 3 + i, o % 5) ==
                  static_cast<double>((((o * 3 + i) * 2 + u) * 3 + v + 1) * (o + 1)));
    }
  }
}

TEST_CASE("taps of a residue are exactly those that reach its outputs") {
  for (std::int64_t kernel = 0; kernel <= 7; ++kernel)
    for (std::int64_t stride = 1; stride <= 6; ++stride)
      for (std::int64_t dilation = 1; dilation <= 7; ++dilation) {
        std::int64_t all = 0;
        for (std::int64_t r = 0; r < stride; ++r) {
          const residue_taps t = taps_of_residue(kernel, stride, dilation, r);
          std::vector<std::int64_t> found, expected;
          for (std::int64_t i = 0; i < t.count; ++i) found.push_back(t.first + i * t.step);
          for (std::int64_t u = 0; u < kernel; ++u)
            if (u * dilation % stride == r) expected.push_back(u);
          CHECK(found == expected);
          all += t.count;
        }
        CHECK(all == kernel);
      }
}

TEST_CASE("a stride far beyond the kernel costs what it stores, and nothing is looped over without outputs") {
  const residue_taps t = taps_of_residue(3, std::int64_t{1} << 40, 5, 10);
  CHECK(t.count == 1);
  CHECK(t.first == 2);
  const std::int64_t stride[2]{1 << 30, 1 << 30};
  CHECK(packed_conv_transpose2d_elements(conv_weights{1, 1, {1, 1}, 1}, stride, 8) == checked::largest);
  const panel_shape s{16, 8};
  pack_conv2d<float, float>(nullptr, conv_weights{0, 0, {3, 3}, std::int64_t{1} << 40}, nullptr, nullptr, s, nullptr);
  pack_conv_transpose2d<float, float>(nullptr, conv_weights{1, 0, {3, 3}, 1}, stride, {1, 1}, nullptr, nullptr, s,
                                      nullptr);
}

TEST_CASE("transposed weights: residues outermost, then groups") {
  const conv_weights w{4, 6, {3, 2}, 2};
  const std::int64_t stride[2]{2, 1}, dilation[2]{1, 1};
  const auto raw = counted<double>(4 * 3 * 6);
  const auto bias = counted<double>(6);
  const panel_shape s{16, 8};
  guarded<float> packed(static_cast<std::size_t>(packed_conv_transpose2d_elements(w, stride, 8)), guard::end, 64);
  pack_conv_transpose2d(raw.data(), w, stride, dilation, static_cast<const double*>(nullptr), bias.data(), s,
                        packed.data());
  const float* at = packed.data();
  for (std::int64_t residue = 0; residue < 2; ++residue)
    for (std::int64_t group = 0; group < 2; ++group) {
      const std::int64_t rows = residue == 0 ? 2 : 1, depth = rows * 2 * 2;
      for (std::int64_t n = 0; n < 3; ++n) {
        CHECK(packed_at(at, depth, 3, s, -1, n) == static_cast<double>(group * 3 + n + 1));
        for (std::int64_t u = 0; u < rows; ++u)
          for (std::int64_t v = 0; v < 2; ++v)
            for (std::int64_t i = 0; i < 2; ++i)
              CHECK(packed_at(at, depth, 3, s, (u * 2 + v) * 2 + i, n) ==
                    static_cast<double>((((group * 2 + i) * 3 + n) * 3 + 2 * u + residue) * 2 + v + 1));
      }
      at += packed_matrix_elements(depth, 3, 8);
    }
  CHECK(at == packed.data() + packed.size());
}

TEST_CASE("weights in 16 bits are rounded from f32") {
  const double b[2]{1.0 + 0x1p-11 + 0x1p-30, 1.00390625};
  guarded<half> h(24, guard::end, 64);  // eight biases are f32
  guarded<bfloat16> f(24, guard::end, 64);
  pack_matrix(b, 1, 1, 1, 1, static_cast<const double*>(nullptr), static_cast<const double*>(nullptr),
              panel_shape{8, 8}, h.data());
  pack_matrix(b + 1, 1, 1, 1, 1, static_cast<const double*>(nullptr), static_cast<const double*>(nullptr),
              panel_shape{8, 8}, f.data());
  CHECK(h[16] == half{0x3c00});  // the last bit is lost in f32, and what is left is a tie
  CHECK(f[16] == bfloat16{0x3f80});
}
