// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of graph values: broadcasting, literals, NaN, types; casts and keep_first.
#include <limits>

#include "run_op.hpp"

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

template <class F>
numbers map1(const numbers& x, F f) {
  const tensor_of_test t{{static_cast<std::int64_t>(x.size())}, x, tkl::f32};
  const auto r = run_op({t}, [&](tkl::graph&, graph_inputs in) { return f(in[0]); });
  CHECK(r.error == "");
  return r.values;
}

numbers cast_of(const numbers& x, tkl::element to) {
  return map1(x, [&](tkl::value v) { return tkl::cast(v, to); });
}

}  // namespace

TEST_CASE("broadcasting") {
  const auto sum = [](const tensor_of_test& a, const tensor_of_test& b) {
    return run_op({a, b}, [](tkl::graph&, graph_inputs in) { return in[0] + in[1]; });
  };
  CHECK(sum(counting({2, 3}), {{1, 3}, {10, 20, 30}}).values == numbers{11, 22, 33, 14, 25, 36});
  CHECK(sum({{1, 3}, {10, 20, 30}}, counting({2, 3})).values == numbers{11, 22, 33, 14, 25, 36});
  CHECK(sum({{2, 1}, {100, 200}}, {{1, 3}, {1, 2, 3}}).values == numbers{101, 102, 103, 201, 202, 203});
  CHECK(sum({{3}, {10, 20, 30}}, counting({2, 3})).values == numbers{11, 22, 33, 14, 25, 36});
  CHECK(sum({{}, {5}}, counting({2})).values == numbers{6, 7});
  CHECK(sum(counting({2}), {{}, {5}}).values == numbers{6, 7});
  CHECK(sum(counting({0, 3}), counting({1, 3})).values.empty());
  const auto three = run_op({{{2, 1, 1}, {1, 0}}, counting({1, 2, 1}), counting({1, 1, 2}, 10)},
                            [](tkl::graph&, graph_inputs in) { return tkl::select(in[0], in[1], in[2]); });
  CHECK(three.shape == tkl::shape{2, 2, 2});
  CHECK(three.values == numbers{1, 1, 2, 2, 10, 11, 10, 11});
}

TEST_CASE("operators with numbers on either side") {
  CHECK(map1({1, 2}, [](tkl::value v) { return 10 - v * 3 + 1.5f; }) == numbers{8.5, 5.5});
  CHECK(map1({1, 2}, [](tkl::value v) { return 6 / v - -v; }) == numbers{7, 5});
  CHECK(map1({0, 128, 255}, [](tkl::value v) { return (v / 255.0 - 0.5) / 0.5; })[2] == 1);
  CHECK(map1({-4, 2, 9}, [](tkl::value v) { return tkl::clip(v, 0, 6); }) == numbers{0, 2, 6});
  CHECK(close(map1({1}, [](tkl::value v) { return tkl::hard_sigmoid(v, 0.2, 0.5); }), {0.7}));
}

TEST_CASE("NaN propagates through maximum, minimum, clip and relu") {
  CHECK(std::isnan(map1({nan_value}, [](tkl::value v) { return tkl::relu(v); })[0]));
  CHECK(std::isnan(map1({nan_value}, [](tkl::value v) { return tkl::clip(v, 0, 6); })[0]));
  CHECK(std::isnan(map1({nan_value}, [](tkl::value v) { return tkl::max(v, 1); })[0]));
  CHECK(std::isnan(map1({nan_value}, [](tkl::value v) { return tkl::max(1, v); })[0]));
  CHECK(std::isnan(map1({nan_value}, [](tkl::value v) { return tkl::min(1, v); })[0]));
  CHECK(map1({nan_value}, [](tkl::value v) { return tkl::select(0, v, 3); }) == numbers{3});
}

TEST_CASE("every function of the list can be called through its number") {
  for (int f = 0; f < tkl::function_list::size; ++f) {
    const double x[] = {0.75, 0.5, 0.25};
    CHECK_MESSAGE(!std::isnan(tkl::real_functions<>[f](x)), tkl::function_list::names[f]);
  }
  const double x[] = {5, 3, 1};
  CHECK(tkl::real_functions<>[tkl::function_index<tkl::fn::sub>](x) == 2);
  CHECK(tkl::real_functions<>[tkl::function_index<tkl::fn::affine>](x) == 16);
}

TEST_CASE("a table of functions holds those of its mask") {
  constexpr int sub = tkl::function_index<tkl::fn::sub>, exp = tkl::function_index<tkl::fn::exp>;
  constexpr auto table = tkl::real_functions<std::uint64_t{1} << sub>;
  const double x[] = {5, 3};
  CHECK(table[sub](x) == 2);
  static_assert(table[exp] == nullptr);
}

TEST_CASE("known values of activations") {
  CHECK(close(map1({2.699, 1.0}, [](tkl::value v) { return tkl::gelu(v); }), {2.6896143, 0.8413447}));
  CHECK(close(map1({2.699, 1.0}, [](tkl::value v) { return tkl::gelu_tanh(v); }), {2.6900875, 0.8411920}));
  CHECK(close(map1({10.5, 21.66, 1e4, -1e4}, [](tkl::value v) { return tkl::gelu_tanh(v); }), {10.5, 21.66, 1e4, 0}));
  CHECK(close(map1({100, 20, -75}, [](tkl::value v) { return tkl::softplus(v); }), {100, 20.000000002, 2.678637e-33}));
  CHECK(close(map1({-110, 0, 90, 3212}, [](tkl::value v) { return tkl::sigmoid(v); }), {0, 0.5, 1, 1}));
  CHECK(map1({100}, [](tkl::value v) { return tkl::mish(v); }) == numbers{100});
}

TEST_CASE("casts round to nearest even, clamp before converting, and turn NaN into 0 for integers") {
  CHECK(cast_of({1e10, -1e10, inf, -inf, 129, -130, 127.5, nan_value, 0.5, 1.5, -0.5, -1.5}, tkl::i8) ==
        numbers{127, -128, 127, -128, 127, -128, 127, 0, 0, 2, 0, -2});
  CHECK(cast_of({300, -3, 254.5, 2.5, 3.5}, tkl::u8) == numbers{255, 0, 254, 2, 4});
  CHECK(cast_of({3e9, -3e9, 2.5}, tkl::i32) == numbers{2147483647, -2147483648.0, 2});
  CHECK(cast_of({2049, 65519.9, 65520, 5.9604644775390625e-8}, tkl::f16) ==
        numbers{2048, 65504, inf, 5.9604644775390625e-8});
  CHECK(cast_of({3.14, 1.00390625, 1.01171875}, tkl::bf16) == numbers{3.140625, 1.0, 1.015625});
  CHECK(std::isnan(cast_of({nan_value}, tkl::bf16)[0]));
}

TEST_CASE("results of half-precision nodes are rounded as stored") {
  tensor_of_test x{{2}, {2048, 1}, tkl::f16};
  const auto r = run_op({x}, [](tkl::graph&, graph_inputs in) { return in[0] + 1; });
  CHECK(r.type == tkl::f16);
  CHECK(r.values == numbers{2048, 2});
}

TEST_CASE("keep_first") {
  const auto keep = [](double count, int axis) {
    tensor_of_test x = counting({2, 3, 2});
    x.values[11] = nan_value;
    tensor_of_test n{{1}, {count}, tkl::i32};
    return run_op({x, n}, [&](tkl::graph&, graph_inputs in) { return tkl::keep_first(in[0], in[1], axis); }).values;
  };
  CHECK(keep(1, 1) == numbers{1, 2, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0});
  CHECK(keep(1, -1) == numbers{1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11, 0});
  CHECK(keep(-5, 0) == numbers(12, 0.0));
  CHECK(close(keep(99, 0), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, nan_value}));
}
