// SPDX-License-Identifier: Apache-2.0
// The definitions of pooling and reductions.
#include <limits>

#include "run_op.hpp"

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

op_result max_pool(const tensor_of_test& x, const tkl::max_pool2d_params& p) {
  return run_op({x}, [&](tkl::graph&, graph_inputs in) { return tkl::max_pool2d(in[0], p); });
}
op_result average_pool(const tensor_of_test& x, const tkl::average_pool2d_params& p) {
  return run_op({x}, [&](tkl::graph&, graph_inputs in) { return tkl::average_pool2d(in[0], p); });
}

}  // namespace

TEST_CASE("the divisor does not count what hangs over in ceil mode") {
  const auto r = average_pool(counting({1, 1, 5, 1}), {.kernel = {1, 2}, .ceil_mode = true, .count_include_pad = true});
  CHECK(r.values == numbers{1.5, 3.5, 5.0});
  // A window over the padding as well: 5 and the padding behind it count, the cell beyond does not.
  const auto padded = average_pool(
      counting({1, 1, 4, 1}),
      {.kernel = {1, 3}, .stride = {1, 3}, .pad = {0, 0, 0, 1}, .ceil_mode = true, .count_include_pad = true});
  CHECK(padded.values == numbers{2, 2});
}

TEST_CASE("a window that would start outside is dropped") {
  CHECK(average_pool(counting({1, 1, 4, 1}), {.kernel = 1, .stride = 2, .ceil_mode = true}).values == numbers{1, 3});
  CHECK(max_pool(counting({1, 1, 4, 1}), {.kernel = 1, .stride = 2, .ceil_mode = true}).values == numbers{1, 3});
}

TEST_CASE("padding never wins a maximum") {
  CHECK(max_pool(filled({1, 2, 2, 1}, -1), {.kernel = 2, .stride = 2, .pad = 1}).values == numbers{-1, -1, -1, -1});
}

TEST_CASE("divisors with padding excluded and included") {
  const tensor_of_test x = counting({1, 5, 5, 1});
  const auto without = average_pool(x, {.kernel = 5, .stride = 1, .pad = 2});
  const auto with = average_pool(x, {.kernel = 5, .stride = 1, .pad = 2, .count_include_pad = true});
  CHECK(close({without.values.begin(), without.values.begin() + 5}, {7, 7.5, 8, 8.5, 9}));
  CHECK(close({with.values.begin(), with.values.begin() + 5}, {2.52, 3.6, 4.8, 4.08, 3.24}));
}

TEST_CASE("NaN propagates through pooling, wherever it stands in the window") {
  for (std::size_t at = 0; at < 4; ++at) {
    tensor_of_test x = counting({1, 2, 2, 1});
    x.values[at] = nan_value;
    CHECK(std::isnan(max_pool(x, {.kernel = 2}).values[0]));
    CHECK(std::isnan(average_pool(x, {.kernel = 2}).values[0]));
  }
  CHECK(max_pool(filled({1, 2, 2, 1}, -inf), {.kernel = 2}).values == numbers{-inf});
}

TEST_CASE("pooling against a loop over the padded picture") {
  const tensor_of_test x = counting({1, 6, 7, 2}, -40);
  for (int kernel = 1; kernel <= 3; ++kernel)
    for (int stride = 1; stride <= 3; ++stride)
      for (int pad = 0; pad < kernel; ++pad)
        for (const bool ceil_mode : {false, true}) {
          const auto m = max_pool(x, {.kernel = kernel, .stride = stride, .pad = pad, .ceil_mode = ceil_mode});
          const auto a = average_pool(x, {.kernel = kernel, .stride = stride, .pad = pad, .ceil_mode = ceil_mode});
          REQUIRE(m.shape == a.shape);
          std::size_t at = 0;
          for (std::int64_t h = 0; h < m.shape[1]; ++h)
            for (std::int64_t w = 0; w < m.shape[2]; ++w)
              for (std::int64_t c = 0; c < 2; ++c, ++at) {
                double largest = -inf, sum = 0;
                int count = 0;
                for (std::int64_t row = 0; row < 6; ++row)
                  for (std::int64_t column = 0; column < 7; ++column) {
                    const std::int64_t u = row + pad - h * stride, v = column + pad - w * stride;
                    if (u < 0 || u >= kernel || v < 0 || v >= kernel) continue;
                    const double e = x.values[static_cast<std::size_t>((row * 7 + column) * 2 + c)];
                    largest = e > largest ? e : largest;
                    sum += e, ++count;
                  }
                REQUIRE(m.values[at] == largest);
                REQUIRE(a.values[at] == sum / count);
              }
        }
}

TEST_CASE("global pooling keeps the axes and counts in full precision") {
  const auto mean = run_op({filled({1, 64, 64, 1}, 1)}, [](tkl::graph&, graph_inputs in) {
    return tkl::global_average_pool(tkl::cast(in[0], tkl::f16));
  });
  CHECK(mean.shape == tkl::shape{1, 1, 1, 1});
  CHECK(mean.type == tkl::f16);
  CHECK(mean.values == numbers{1});
  tensor_of_test twenty = filled({1, 256, 256, 1}, 20);
  twenty.type = tkl::f16;
  CHECK(run_op({twenty}, [](tkl::graph&, graph_inputs in) { return tkl::global_average_pool(in[0]); }).values ==
        numbers{20});
  // 22 channels of 9 * (o + 1): mean and maximum over the channels.
  tensor_of_test weight = filled({22, 9, 1, 1}, 0);
  for (std::size_t i = 0; i < weight.values.size(); ++i) {
    const std::size_t out = i / 9;
    weight.values[i] = static_cast<double>(out + 1);
  }
  const auto over_channels = run_op({filled({1, 1, 1, 9}, 1), weight}, [](tkl::graph&, graph_inputs in) {
    const tkl::value y = tkl::conv2d(in[0], in[1]);
    return tkl::concat(-1, tkl::reduce_mean(y, -1), tkl::reduce_max(y, -1));
  });
  CHECK(over_channels.values == numbers{103.5, 198});
}

TEST_CASE("reductions over any set of axes") {
  const tensor_of_test x = counting({2, 3, 4});
  const auto reduce = [&](const tkl::axis_list& axes, bool keep) {
    return run_op({x}, [&](tkl::graph&, graph_inputs in) { return tkl::reduce_sum(in[0], axes, {.keep_dims = keep}); });
  };
  CHECK(reduce(0, true).shape == tkl::shape{1, 3, 4});
  CHECK(reduce(0, false).shape == tkl::shape{3, 4});
  CHECK(reduce({0, -1}, false).values == numbers{1 + 2 + 3 + 4 + 13 + 14 + 15 + 16, 5 + 6 + 7 + 8 + 17 + 18 + 19 + 20,
                                                 9 + 10 + 11 + 12 + 21 + 22 + 23 + 24});
  CHECK(reduce({0, 1, 2}, false).shape.rank == 0);
  CHECK(reduce({0, 1, 2}, false).values == numbers{300});
  CHECK(run_op({x}, [](tkl::graph&, graph_inputs in) {
          return tkl::reduce_mean(in[0], {1, 2}, {.keep_dims = false});
        }).values == numbers{6.5, 18.5});
  CHECK(run_op({x}, [](tkl::graph&, graph_inputs in) {
          return tkl::reduce_max(in[0], 1, {.keep_dims = false});
        }).values == numbers{9, 10, 11, 12, 21, 22, 23, 24});
  CHECK(run_op({x}, [](tkl::graph&, graph_inputs in) { return tkl::reduce_min(in[0], 2); }).values ==
        numbers{1, 5, 9, 13, 17, 21});
  CHECK(run_op({counting({3, 0})}, [](tkl::graph&, graph_inputs in) { return tkl::reduce_sum(in[0], 1); }).values ==
        numbers{0, 0, 0});
}

TEST_CASE("argmax: the first of equal ones; NaN wins, the first one") {
  const auto place = [](const numbers& row) {
    const tensor_of_test x{{1, static_cast<std::int64_t>(row.size())}, row, tkl::f32};
    const auto r = run_op({x}, [](tkl::graph&, graph_inputs in) { return tkl::argmax(in[0], -1); });
    CHECK(r.type == tkl::i32);
    return r.values[0];
  };
  CHECK(place({1, 3, 2, 3}) == 1);
  CHECK(place({-5, -3, -4}) == 1);
  CHECK(place({7}) == 0);
  CHECK(place({1, nan_value, 9}) == 1);
  CHECK(place({nan_value, 5, nan_value}) == 0);
  CHECK(place({-inf, -inf}) == 0);
  CHECK(std::isnan(run_op({{{1, 3}, {1, nan_value, 2}}}, [](tkl::graph&, graph_inputs in) {
                     return tkl::reduce_max(in[0], -1);
                   }).values[0]));
  CHECK(std::isnan(run_op({{{1, 3}, {nan_value, 1, 2}}}, [](tkl::graph&, graph_inputs in) {
                     return tkl::reduce_min(in[0], -1);
                   }).values[0]));
}
