// SPDX-License-Identifier: Apache-2.0
// Runs one op, or a small graph, in the interpreter: tensors in, values out.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tkl/graph.hpp>
#include <tkl/graph/interpreter.hpp>
#include <vector>

struct tensor_of_test {
  tkl::shape shape{};
  std::vector<double> values{};
  tkl::element type = tkl::f32;
};

/// first, first + 1, ... in a tensor of that shape.
inline tensor_of_test counting(const tkl::shape& s, double first = 1) {
  tensor_of_test t{s, {}, tkl::f32};
  for (std::int64_t i = 0; i < s.elements().value; ++i) t.values.push_back(first + static_cast<double>(i));
  return t;
}
inline tensor_of_test filled(const tkl::shape& s, double v) {
  return {s, std::vector<double>(static_cast<std::size_t>(s.elements().value), v), tkl::f32};
}

struct op_result {
  tkl::shape shape{};
  tkl::element type = tkl::f32;
  std::vector<double> values{};
  std::string error{};
};

/// op(graph, values of the inputs) -> value.
template <class Op>
op_result run_op(const std::vector<tensor_of_test>& inputs, Op op) {
  tkl::graph g;
  std::vector<tkl::value> in;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    tkl::text<8> name;
    name << 'x' << i;
    in.push_back(g.input(name.view(), inputs[i].type, inputs[i].shape));
  }
  const tkl::value y = op(g, in);
  if (!g.error.empty()) return {{}, tkl::f32, {}, g.error.c_str()};
  tkl::interpreter run(g);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const tkl::status s = run.set_input(i, std::span<const double>(inputs[i].values));
    if (!s) return {{}, tkl::f32, {}, s.message()};
  }
  const tkl::status s = run.run();
  if (!s) return {{}, tkl::f32, {}, s.message()};
  const auto values = run.edge(y);
  return {y.shape(), y->type, {values.begin(), values.end()}, {}};
}

using graph_inputs = const std::vector<tkl::value>&;
using numbers = std::vector<double>;

/// Equal within a relative 1e-6 (absolute near 0); NaN equals NaN.
inline bool close(const numbers& a, const numbers& b, double tolerance = 1e-6) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    if (!std::isnan(a[i]) && a[i] != b[i] && !(std::fabs(a[i] - b[i]) <= tolerance * (1 + std::fabs(b[i]))))
      return false;
  }
  return true;
}
