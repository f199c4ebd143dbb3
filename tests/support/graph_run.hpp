// SPDX-License-Identifier: Apache-2.0
// Runs a graph node by node without any pass, with random inputs and weights; and compares results.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tkl/graph/interpreter.hpp>
#include <vector>

#include "support/random_graph.hpp"

namespace tkl_test {

/// The inputs of a graph as the caller would hold them: bytes in the declared type, layout and order.
struct graph_inputs {
  std::vector<std::vector<std::byte>> bytes{};
  std::vector<const void*> pointers{};

  explicit graph_inputs(const tkl::graph& g) {
    for (const std::int32_t id : g.inputs) {
      const tkl::node& n = g.nodes[static_cast<std::size_t>(id)];
      const std::int64_t count = n.shape.elements().value;
      std::vector<std::byte> b(static_cast<std::size_t>(count) * tkl::size_of(n.type));
      for (std::int64_t i = 0; i < count; ++i) {
        const float x = random_element(g.name_at(n.name), i);
        if (n.type == tkl::u8) {
          const auto v = static_cast<std::uint8_t>((x + 1) * 127);
          std::memcpy(b.data() + i, &v, 1);
        } else if (n.type == tkl::i32) {
          const std::int32_t v = 2;
          std::memcpy(b.data() + 4 * i, &v, 4);
        } else {
          std::memcpy(b.data() + 4 * i, &x, 4);
        }
      }
      bytes.push_back(std::move(b));
    }
    for (const auto& b : bytes) pointers.push_back(b.data());
  }
};

/// Weights that are exact in their type: f32, f16 or bf16.
inline std::vector<float> random_weights(std::string_view name, const tkl::shape& s, tkl::element type) {
  std::vector<float> w(static_cast<std::size_t>(s.elements().value));
  double fan_in = 1;
  for (int i = 1; i < s.rank; ++i) fan_in *= static_cast<double>(s[i]);
  const float scale = s.rank > 1 ? static_cast<float>(1.0 / std::sqrt(fan_in)) : 1.0f;
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = scale * random_element(name, static_cast<std::int64_t>(i));
    if (type == tkl::f16) w[i] = tkl::to_float(tkl::to_half(w[i]));
    if (type == tkl::bf16) w[i] = tkl::to_float(tkl::to_bfloat16(w[i]));
  }
  return w;
}

/// A weights file in memory with every weight of the graph.
inline std::vector<std::byte> random_weights_file(const tkl::graph& g) {
  std::string header = "{";
  std::vector<std::byte> data;
  const auto append = [&](const auto& v) {
    const auto* const first = reinterpret_cast<const std::byte*>(&v);
    data.insert(data.end(), first, first + sizeof v);
  };
  for (const tkl::node& n : g.nodes) {
    if (n.kind != tkl::op_kind::weight) continue;
    const std::string begin = std::to_string(data.size());
    for (const float w : random_weights(g.name_at(n.name), n.shape, n.type)) {
      if (n.type == tkl::f16) {
        append(tkl::to_half(w));
      } else if (n.type == tkl::bf16) {
        append(tkl::to_bfloat16(w));
      } else {
        append(w);
      }
    }
    if (header.size() > 1) header += ",";
    header += "\"" + std::string(g.name_at(n.name)) + "\":{\"dtype\":\"";
    header += n.type == tkl::f16 ? "F16" : n.type == tkl::bf16 ? "BF16" : "F32";
    header += "\",\"shape\":[";
    for (int i = 0; i < n.shape.rank; ++i) header += (i ? "," : "") + std::to_string(n.shape[i]);
    header += "],\"data_offsets\":[" + begin + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  while (header.size() % 8 != 0) header += ' ';
  std::vector<std::byte> file(8 + header.size() + data.size());
  const std::uint64_t size = header.size();
  std::memcpy(file.data(), &size, 8);
  std::memcpy(file.data() + 8, header.data(), header.size());
  if (!data.empty()) std::memcpy(file.data() + 8 + header.size(), data.data(), data.size());
  return file;
}

/// Outputs of the graph without any pass, in the caller's order of axes.
inline std::vector<std::vector<double>> run_unoptimised(const tkl::graph& g, const graph_inputs& in) {
  tkl::interpreter oracle(g);
  std::vector<std::vector<double>> outputs;
  const auto give = [&](std::size_t i, auto zero) {
    using T = decltype(zero);
    const auto& b = in.bytes[i];
    return oracle.set_input(i, std::span<const T>(reinterpret_cast<const T*>(b.data()), b.size() / sizeof(T)));
  };
  for (std::size_t i = 0; i < in.bytes.size(); ++i) {
    const tkl::element t = g.nodes[static_cast<std::size_t>(g.inputs[i])].type;
    if (!(t == tkl::u8 ? give(i, std::uint8_t{}) : t == tkl::i32 ? give(i, std::int32_t{}) : give(i, 0.0f)))
      return outputs;
  }
  std::vector<float> held;
  const tkl::status weights = oracle.set_weights([&](std::string_view name, const tkl::shape& s) {
    tkl::element type = tkl::f32;
    for (const tkl::node& n : g.nodes)
      if (n.kind == tkl::op_kind::weight && g.name_at(n.name) == name) type = n.type;
    held = random_weights(name, s, type);
    return std::span<const float>(held);
  });
  if (!weights || !oracle.run()) return outputs;
  for (std::size_t o = 0; o < g.outputs.size(); ++o) outputs.push_back(oracle.output_as_declared(o));
  return outputs;
}

/// A buffer for each output of a graph.
inline std::vector<std::vector<std::byte>> output_buffers(const tkl::graph& g) {
  std::vector<std::vector<std::byte>> buffers;
  for (const tkl::graph_output& o : g.outputs) {
    const tkl::node& n = g.nodes[static_cast<std::size_t>(o.node)];
    buffers.emplace_back(static_cast<std::size_t>(n.shape.elements().value) * tkl::size_of(n.type));
  }
  return buffers;
}

/// Widens the bytes of an output to double.
inline std::vector<double> widened(const std::vector<std::byte>& b, tkl::element type) {
  std::vector<double> v(b.size() / tkl::size_of(type));
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (type == tkl::i32) {
      std::int32_t x = 0;
      std::memcpy(&x, b.data() + 4 * i, 4);
      v[i] = x;
    } else if (type == tkl::f32) {
      float x = 0;
      std::memcpy(&x, b.data() + 4 * i, 4);
      v[i] = static_cast<double>(x);
    } else if (type == tkl::u8 || type == tkl::i8) {
      const auto x = std::to_integer<std::uint8_t>(b[i]);
      v[i] = type == tkl::u8 ? x : static_cast<std::int8_t>(x);
    } else {
      std::uint16_t x = 0;
      std::memcpy(&x, b.data() + 2 * i, 2);
      v[i] = static_cast<double>(type == tkl::f16 ? tkl::to_float(tkl::half{x}) : tkl::to_float(tkl::bfloat16{x}));
    }
  }
  return v;
}

/// 16-bit values that the graph rounds to may fall to either side.
inline double tolerance_of(const tkl::graph& g) {
  for (const tkl::node& n : g.nodes)
    if (n.type == tkl::f16 || n.type == tkl::bf16) return 1e-2;
  return 2e-4;
}

/// Relative to the largest element, or to 1.
inline double largest_difference(const std::vector<double>& expected, const std::vector<double>& got) {
  double largest = 1, difference = 0;
  for (double x : expected) largest = std::fmax(largest, std::fabs(x));
  for (std::size_t i = 0; i < expected.size(); ++i) difference = std::fmax(difference, std::fabs(expected[i] - got[i]));
  return difference / largest;
}

/// Empty when equal within rounding: the steps' f32 results against double precision throughout.
inline std::string compare(const std::vector<double>& expected, const std::vector<double>& got, double tolerance) {
  if (expected.size() != got.size())
    return "elements: " + std::to_string(expected.size()) + " expected, " + std::to_string(got.size()) + " given";
  double largest = 1;
  for (double x : expected) largest = std::fmax(largest, std::fabs(x));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(expected[i] - got[i]) <= tolerance * largest))
      return "element " + std::to_string(i) + ": " + std::to_string(expected[i]) + " expected, " +
             std::to_string(got[i]) + " given";
  return {};
}

}  // namespace tkl_test
