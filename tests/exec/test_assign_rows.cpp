// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <tkl/attention.hpp>
#include <tkl/elementwise.hpp>
#include <tkl/layernorm.hpp>
#include <tkl/pool.hpp>
#include <tkl/reduce.hpp>
#include <tkl/resize.hpp>
#include <tkl/softmax.hpp>

#include "assign_support.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

template <class X>
reals expected_softmax(const X& x, bool logarithm) {
  const reals in = reals_of(x);
  reals y = zeros(in.shape);
  attributes a;
  a.mode = logarithm ? 1 : 0;
  softmax_definition(in.in(), y.out(), a);
  return y;
}

template <class X>
reals expected_layer_norm(const X& x, double eps) {
  const reals in = reals_of(x);
  reals y = zeros(in.shape);
  const std::int64_t columns = in.shape.back(0), rows = in.shape.elements().value / columns;
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* row = in.values.data() + r * columns;
    double mean = 0, variance = 0;
    for (std::int64_t c = 0; c < columns; ++c) mean += row[c] / static_cast<double>(columns);
    for (std::int64_t c = 0; c < columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / static_cast<double>(columns);
    for (std::int64_t c = 0; c < columns; ++c)
      y.values[static_cast<std::size_t>(r * columns + c)] = (row[c] - mean) / std::sqrt(variance + eps);
  }
  return y;
}

template <class X>
reals expected_reduce(const X& x, const axis_list& axes, reduce_kind kind, bool keep) {
  const reals in = reals_of(x);
  const reduce_rule_result r = reduce_rule(in.shape, axes, kind, {keep});
  reals y = zeros(r.result.out);
  attributes a;
  a.axes = r.axes, a.mode = static_cast<std::uint8_t>(kind), a.keep_dims = keep;
  reduce_definition(in.in(), y.out(), a);
  return y;
}

}  // namespace

TEST_CASE("softmax and log-softmax, in place too, all tails") {
  for (std::int64_t columns : {0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 67}) {
    tensor<float, row_major<dyn, dyn>> x(row_major(3, columns)), y(row_major(3, columns));
    fill(x, static_cast<std::uint32_t>(columns));
    const reals probability = expected_softmax(x, false), logarithm = expected_softmax(x, true);
    CHECK(good(assign(y, softmax(x))));
    CHECK(agree(reals_of(y), probability));
    CHECK(good(assign(y, log_softmax(x, 1))));
    CHECK(agree(reals_of(y), logarithm));
    CHECK(good(assign(x, softmax(x, -1))));
    CHECK(agree(reals_of(x), probability));
  }
  tensor<float, row_major<2, 3, 20>> x, y, residual;
  fill(x, 1), fill(residual, 2);
  reals want = expected_softmax(x, false);
  for (std::size_t i = 0; i < want.values.size(); ++i)
    want.values[i] = want.values[i] * 2 + static_cast<double>(residual.data()[i]);
  assign(y, softmax(x) * 2 + residual);
  CHECK(agree(reals_of(y), want));
  tensor<float, row_major<dyn, dyn, dyn>> z(row_major(2, 3, 20));
  CHECK(message_of(assign(z, softmax(x, 0))) ==
        "softmax: axis 0 is not the last of shape 2x3x20: transpose it to the end first");
  CHECK(!assign(flip(x, 2), softmax(x)));
}

TEST_CASE("layer normalisation, in place too, with scale and offset; batch normalisation") {
  tensor<float, row_major<4, 37>> x, y;
  tensor<float, row_major<37>> scale, offset, mean, variance;
  fill(x, 1), fill(scale, 2), fill(offset, 3), fill(mean, 4);
  for (float& v : variance) v = 0.25f;
  assign(y, layer_norm(x));
  CHECK(agree(reals_of(y), expected_layer_norm(x, 1e-5)));
  reals want = expected_layer_norm(x, 1e-3);
  for (std::size_t i = 0; i < want.values.size(); ++i)
    want.values[i] =
        want.values[i] * static_cast<double>(scale.data()[i % 37]) + static_cast<double>(offset.data()[i % 37]);
  assign(y, layer_norm<layer_norm_params{.eps = 1e-3}>(x, scale, offset));
  CHECK(agree(reals_of(y), want));
  assign(x, layer_norm<layer_norm_params{.eps = 1e-3}>(x, scale, offset));
  CHECK(agree(reals_of(x), want));
  CHECK(!assign(x, layer_norm(x, {.eps = -1})));
  assign(y, batch_norm(x, scale, offset, mean, variance));
  bool right = true;
  for (int i = 0; i < 4 * 37; ++i) {
    const int c = i % 37;
    const double v = (static_cast<double>(x.data()[i]) - static_cast<double>(mean(c))) / std::sqrt(0.25 + 1e-5) *
                         static_cast<double>(scale(c)) +
                     static_cast<double>(offset(c));
    right = right && std::fabs(v - static_cast<double>(y.data()[i])) < 2e-5 * (1 + std::fabs(v));
  }
  CHECK(right);
}

TEST_CASE("reductions over every subset of axes, kept or not, with an element-wise part") {
  tensor<float, nhwc<>> x(nhwc(2, 3, 4, 19));
  fill(x, 1);
  const axis_list subsets[] = {0, 1, 3, {1, 2}, {2, 3}, {0, 1, 2}, {0, 1, 2, 3}, {0, 3}};
  for (const axis_list& axes : subsets) {
    const auto kept = [&](reduce_kind kind, auto e) {
      const reals want = expected_reduce(x, axes, kind, true);
      tensor<float, nhwc<>> y(nhwc(want.shape[0], want.shape[1], want.shape[2], want.shape[3]));
      CHECK(good(assign(y, e)));
      CHECK(agree(reals_of(y), want));
    };
    kept(reduce_kind::sum, reduce_sum(x, axes));
    kept(reduce_kind::mean, reduce_mean(x, axes));
    kept(reduce_kind::max, reduce_max(x, axes));
    kept(reduce_kind::min, reduce_min(x, axes));
  }
  tensor<float, row_major<2, 19>> pooled, residual;
  fill(residual, 2);
  reals want = expected_reduce(x, {1, 2}, reduce_kind::sum, false);
  for (std::size_t i = 0; i < want.values.size(); ++i) want.values[i] += static_cast<double>(residual.data()[i]);
  CHECK(good(assign(pooled, reduce_sum(x, {1, 2}, {.keep_dims = false}) + residual)));
  CHECK(agree(reals_of(pooled), want));
  tensor<float, row_major<2, 4>> rest, other;
  fill(other, 3);
  want = expected_reduce(x, {1, 3}, reduce_kind::mean, false);
  for (std::size_t i = 0; i < want.values.size(); ++i) want.values[i] *= static_cast<double>(other.data()[i]);
  CHECK(good(assign(rest, reduce_mean(x, {3, 1}, {.keep_dims = false}) * other)));
  CHECK(agree(reals_of(rest), want));
  CHECK(message_of(assign(rest, reduce_mean(x, {1, 1}))) == "reduce_mean: axis 1 is given twice");

  tensor<float, nhwc<2, 3, 4, 19>> fixed;
  fill(fixed, 1);
  tensor<float, nhwc<2, 1, 1, 19>> global;
  assign(global, global_average_pool(fixed));
  CHECK(agree(reals_of(global), expected_reduce(x, {1, 2}, reduce_kind::mean, true)));
  tensor<float, row_major<2, 3, 4>> last, add;
  fill(add, 4);
  want = expected_reduce(x, 3, reduce_kind::max, false);
  for (std::size_t i = 0; i < want.values.size(); ++i) want.values[i] += static_cast<double>(add.data()[i]);
  assign(last, reduce_max<axis_list{-1}, reduce_params{false}>(fixed) + add);
  CHECK(agree(reals_of(last), want));
  tensor<std::int32_t, nhwc<2, 3, 4, 1>> index;
  assign(index, argmax<axis_list{3}>(fixed));
  CHECK(agree(reals_of(index), expected_reduce(x, 3, reduce_kind::argmax, true)));
  tensor<std::int32_t, row_major<2, 3, 19>> along;
  CHECK(good(assign(along, argmax(x, 2, {.keep_dims = false}))));
  CHECK(agree(reals_of(along), expected_reduce(x, 2, reduce_kind::argmax, false)));
}

TEST_CASE("pooling") {
  tensor<float, nhwc<>> x(nhwc(2, 5, 7, 11));
  fill(x, 1);
  const reals in = reals_of(x);
  const auto check = [&](const auto& p, pool_kind kind, bool include, auto e) {
    const pool_rule r = pool2d_rule(in.shape, p);
    reals want = zeros(r.result.out);
    attributes a = r.attr;
    a.mode = static_cast<std::uint8_t>(kind), a.count_include_pad = include;
    pool2d_definition(in.in(), want.out(), a);
    tensor<float, nhwc<>> y(nhwc(want.shape[0], want.shape[1], want.shape[2], want.shape[3]));
    for (double& v : want.values) v = v < 0 ? 0 : v;
    CHECK(good(assign(y, relu(e))));
    CHECK(agree(reals_of(y), want));
  };
  const max_pool2d_params a{.kernel = 3, .stride = 2, .pad = 1}, b{.kernel = {2, 3}, .dilation = 2},
      c{.kernel = 2, .ceil_mode = true};
  check(a, pool_kind::max, false, max_pool2d(x, a));
  check(b, pool_kind::max, false, max_pool2d(x, b));
  check(c, pool_kind::max, false, max_pool2d(x, c));
  const average_pool2d_params d{.kernel = 3, .stride = 1, .pad = 1},
      e{.kernel = 3, .pad = 1, .count_include_pad = true};
  check(d, pool_kind::average, false, average_pool2d(x, d));
  check(e, pool_kind::average, true, average_pool2d(x, e));
  tensor<float, nhwc<1, 1, 5, 1>> line;
  tensor<float, nhwc<1, 1, 3, 1>> three;
  for (int i = 0; i < 5; ++i) line.data()[i] = static_cast<float>(i + 1);
  assign(three,
         average_pool2d<average_pool2d_params{.kernel = {1, 2}, .ceil_mode = true, .count_include_pad = true}>(line));
  CHECK(holds(three, {1.5, 3.5, 5}));
  CHECK(message_of(assign(three, max_pool2d(line, {.kernel = {1, 2}, .pad = {0, 2}}))) ==
        "max_pool2d: axis 2 (columns): pad 2 must be below the kernel, which covers 2: a window would see no element");
}

TEST_CASE("resize and padding") {
  tensor<float, nhwc<>> x(nhwc(1, 3, 4, 9));
  fill(x, 1);
  const reals in = reals_of(x);
  const resize_params all[] = {
      {.scale = 2},
      {.scale = {0.5, 2}, .kind = resize_kind::bilinear},
      {.extent = {5, 3}, .kind = resize_kind::bilinear, .coordinates = coordinate_kind::align_corners},
      {.extent = {6, 8}, .coordinates = coordinate_kind::asymmetric, .rounding = rounding_kind::floor}};
  for (const resize_params& p : all) {
    const resize_rule_result r = resize_rule(in.shape, p);
    reals want = zeros(r.result.out);
    attributes a;
    a.mode = static_cast<std::uint8_t>(p.kind), a.coordinates = static_cast<std::uint8_t>(p.coordinates);
    a.rounding = static_cast<std::uint8_t>(p.rounding);
    a.real[0] = r.scale[0], a.real[1] = r.scale[1];
    resize2d_definition(in.in(), want.out(), a);
    tensor<float, nhwc<>> y(nhwc(want.shape[0], want.shape[1], want.shape[2], want.shape[3]));
    CHECK(good(assign(y, resize(x, p))));
    CHECK(agree(reals_of(y), want));
  }
  tensor<float, nhwc<1, 3, 4, 9>> fixed;
  tensor<float, nhwc<1, 6, 8, 9>> twice, other;
  fill(fixed, 1), fill(other, 2);
  assign(twice, resize<resize_params{.scale = 2}>(fixed) + other);
  CHECK(twice(0, 5, 7, 8) == fixed(0, 2, 3, 8) + other(0, 5, 7, 8));
  tensor<float, nhwc<1, 4, 6, 9>> bordered;
  assign(bordered, pad<pad_params{{0, 1, 0, 0}, {0, 0, 2, 0}, -1}>(fixed) * 2);
  bool right = true;
  for (int h = 0; h < 4; ++h)
    for (int w = 0; w < 6; ++w)
      for (int c = 0; c < 9; ++c)
        right = right && bordered(0, h, w, c) == (h == 0 || w >= 4 ? -2 : 2 * fixed(0, h - 1, w, c));
  CHECK(right);
  tensor<float, row_major<7>> seven;
  const tensor<float, row_major<4>> four;
  CHECK(good(assign(seven, pad(four, {1}, {2}, 3))));
  CHECK(holds(seven, {3, 0, 0, 0, 0, 3, 3}));
  CHECK(!assign(seven, pad(four, {-1}, {2}, 3)));
}

TEST_CASE("attention with and without a mask") {
  struct attention_case {
    std::int64_t batch, queries, keys, depth, values, heads;
  };
  for (const attention_case& k :
       {attention_case{2, 5, 7, 6, 10, 2}, attention_case{1, 1, 1, 8, 8, 1}, attention_case{1, 19, 100, 12, 4, 4}}) {
    using rows = tensor<float, row_major<dyn, dyn, dyn>>;
    rows q(row_major(k.batch, k.queries, k.depth)), key(row_major(k.batch, k.keys, k.depth)),
        v(row_major(k.batch, k.keys, k.values));
    rows y(row_major(k.batch, k.queries, k.values)), mask(row_major(k.heads, k.queries, k.keys));
    fill(q, 1), fill(key, 2), fill(v, 3), fill(mask, 4);
    const reals a = reals_of(q), b = reals_of(key), c = reals_of(v), m = reals_of(mask);
    attributes attr;
    attr.heads = attr.groups = static_cast<std::int32_t>(k.heads);
    const std::int64_t depth = k.depth / k.heads;
    attr.real[0] = 1 / std::sqrt(static_cast<double>(depth));
    reals want = zeros(y.shape());
    attention_definition(a.in(), b.in(), c.in(), {}, want.out(), attr);
    tensor<std::uint8_t, row_major<dyn>> memory(row_major<dyn>(200000));
    const cpu<> target(memory);
    CHECK(good(assign(target, y, attention(q, key, v, {.heads = k.heads}))));
    CHECK(agree(reals_of(y), want));
    attr.real[0] = 0.25;
    attention_definition(a.in(), b.in(), c.in(), m.in(), want.out(), attr);
    CHECK(good(assign(target, y, attention(q, key, v, mask, {.heads = k.heads, .scale = 0.25}))));
    CHECK(agree(reals_of(y), want));
  }
  tensor<float, row_major<2, 5, 8>> q, k, v, y;
  fill(q, 1), fill(k, 2), fill(v, 3);
  const auto e = attention<attention_params{.heads = 2}>(q, k, v) + q;
  assign(y, e);
  CHECK(!assign(y, attention(y, k, v, {.heads = 2})));
}

TEST_CASE("running twice gives the same result and leaves the inputs as they were") {
  tensor<float, row_major<1, 4>> x, y, z;
  for (int i = 0; i < 4; ++i) x.data()[i] = static_cast<float>(i + 1);
  assign(y, softmax(x));
  assign(z, softmax(x));
  CHECK(agree(reals_of(y), reals_of(z), 0));
  CHECK(holds(x, {1, 2, 3, 4}));
}
