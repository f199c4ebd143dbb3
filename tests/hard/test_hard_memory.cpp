// SPDX-License-Identifier: Apache-2.0
// Memory plans that must not go wrong: views, values that nobody reads, results that replace their operands, inputs
// that stay as they are. Every plan goes through the validator; every arena is full of NaN or of huge numbers before a
// run.
// tkl-test: timeout=600
#include "hard_run.hpp"

using namespace tkl_test;
using tkl::f32, tkl::graph, tkl::value;

namespace {

/// A view is read after the tensor it looks at was read for the last time by name.
template <flavour F>
struct view_outlives {
  static constexpr void build(graph& g) {
    const value a = 2.0 * g.input("x", f32, {4}), b = tkl::reshape(a, {2, 2});
    const value m = tkl::reduce_mean(b, 1), t = 10.0 * m, u = t + 1.0;
    if (F == flavour::unfused) g.output(m, "m"), g.output(u, "u");
    g.output(b - u, "out");
  }
};
/// The same behind products, whose results must lie in the arena.
struct view_of_product {
  static constexpr void build(graph& g) {
    const value unit = g.weight("unit", {4, 4});
    const value a = tkl::linear(2.0 * g.input("row", f32, {1, 4}), unit), b = tkl::reshape(a, {2, 2});
    const value m = tkl::reduce_mean(b, 1),
                u = tkl::linear(tkl::reshape(10.0 * m, {1, 2}), g.weight("unit2", {2, 2})) + 1.0;
    g.output(b - tkl::reshape(u, {2, 1}), "out");
  }
};

/// Values that nobody reads, beside one that is read.
struct unread {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1, 1, 4, 1});
    const value largest = tkl::max_pool2d(x, {.kernel = {1, 2}});
    static_cast<void>(tkl::argmax(x, 2));
    static_cast<void>(tkl::conv2d(largest, g.weight("unread.w", {7, 1, 1, 1})));
    g.output(largest, "largest");
  }
};

/// A value is negated, perhaps in place, while another step still has to read it; both orders of the steps.
template <bool NegateFirst>
struct replaced {
  static constexpr void build(graph& g) {
    const value unit = g.weight("unit", {2, 2});
    const value a = g.input("a", f32, {1, 2}), b = tkl::linear(g.input("b", f32, {1, 2}), unit);
    if (NegateFirst) {
      const value e = -b, d = a + b;
      g.output(tkl::linear(d, unit), "d"), g.output(tkl::linear(e, unit), "e");
    } else {
      const value d = a + b, e = -b;
      g.output(tkl::linear(d, unit), "d"), g.output(tkl::linear(e, unit), "e");
    }
  }
};

/// Steps whose result may take over their operand's memory.
struct in_place {
  static constexpr void build(graph& g) {
    const value unit = g.weight("unit", {2, 2}), x = g.input("x", f32, {1, 2});
    const auto kept = [&](value v) { return tkl::linear(v, unit); };  // a result that lies in the arena
    const value s = kept(x), q = kept(x), n = kept(x), m = kept(x);
    g.output(kept(s * tkl::sigmoid(s)), "silu");
    g.output(kept(q * q), "square");
    g.output(kept(tkl::layer_norm(n, {.eps = 0})), "layer norm");
    g.output(kept(tkl::softmax(m)), "softmax");
  }
};

/// One input, read by the first and the last step.
struct input_kept {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {1, 4}), unit = g.weight("unit", {4, 4});
    value v = tkl::linear(x, unit) * 2.0;
    for (int i = 0; i < 3; ++i) v = tkl::linear(tkl::softmax(v), unit);
    g.output(v * 0.0 + x, "out");
  }
};

/// The input itself, twice, and a view of it.
struct input_returned {
  static constexpr void build(graph& g) {
    const value x = g.input("x", f32, {2, 2});
    g.output(x, "x"), g.output(x, "x again"), g.output(tkl::transpose(x, {1, 0}), "turned"), g.output(-x, "negated");
  }
};

std::vector<double> unit(int n) {
  std::vector<double> v(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i * n + i)] = 1;
  return v;
}

}  // namespace

TEST_CASE("a view keeps the memory that it looks at") {
  check_flavours<view_outlives>(
      {.given = {{"x", counting(4)}}, .results = {{"m", {3, 7}}, {"u", {31, 71}}, {"out", {-29, -27, -65, -63}}}});
  check_model<view_of_product>({.given = {{"row", counting(4)}, {"unit", unit(4)}, {"unit2", unit(2)}},
                                .results = {{"out", {-29, -27, -65, -63}}}});
}

TEST_CASE("what nobody reads writes nowhere") {
  check_model<unread>({.given = {{"x", {1, 5, 2, 7}}, {"unread.w", counting(7)}}, .results = {{"largest", {5, 7}}}});
#if !defined(TKL_HARD_ON_DEVICE)
  CHECK(tkl::compile<unread, tkl::cpu<tkl::arch::native, splitting>>::steps == 1);
#endif
}

TEST_CASE("a value is replaced after its last reader, in either order of the steps") {
  const numeric_case c = {.given = {{"a", {10, 20}}, {"b", {1, 2}}, {"unit", unit(2)}},
                          .results = {{"d", {11, 22}}, {"e", {-1, -2}}}};
  check_model<replaced<false>>(c);
  check_model<replaced<true>>(c);
}

TEST_CASE("steps that may run in place give what they give elsewhere") {
  check_model<in_place>({
      .given = {{"x", {2, 4}}, {"unit", unit(2)}},
      .results = {{"silu", {1.7615942, 3.9280552}},
                  {"square", {4, 16}},
                  {"layer norm", {-1, 1}},
                  {"softmax", {0.11920292, 0.88079708}}},
  });
}

TEST_CASE("inputs stay as they are, and a second run gives the same") {
  check_model<input_kept>({.given = {{"x", counting(4)}, {"unit", unit(4)}}, .results = {{"out", counting(4)}}});
  check_model<input_returned>({
      .given = {{"x", counting(4)}},
      .results =
          {{"x", counting(4)}, {"x again", counting(4)}, {"turned", {1, 3, 2, 4}}, {"negated", {-1, -2, -3, -4}}},
  });
}
