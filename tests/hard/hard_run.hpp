// SPDX-License-Identifier: Apache-2.0
// Runs a small model with given numbers in every way a model can run, and compares with exact results.
//
// A model has a flavour: fused declares only what is made of a value by two element-wise steps, so that the value
// itself becomes part of a kernel; unfused declares the value too, so that it must exist. Each flavour runs through the
// interpreter, as a plan on the reference machine in a poisoned arena, and on a machine: compiled for the CPU
// (run_on_cpu.hpp), or in programs with TKL_HARD_ON_DEVICE on a device (run_on_device.hpp).
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tkl/cpu.hpp>
#include <tkl/graph/interpreter.hpp>
#include <tkl/graph/plan_interpreter.hpp>
#include <tkl/graph/validate.hpp>
#include <tkl/target/convert.hpp>
#include <vector>

#include "support/arena_limit.hpp"

namespace tkl_test {

enum class flavour { fused, unfused };

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Declares `v` as output `name` (unfused) and relu(2 v + 1) as output `name` "+".
template <flavour F>
constexpr void declare(tkl::graph& g, tkl::value v, std::string_view name,
                       tkl::memory_layout layout = tkl::memory_layout::nhwc) {
  if (F == flavour::unfused) g.output(v, name, layout);
  tkl::text<64> after;
  after << name << '+';
  g.output(tkl::relu(v * 2.0 + 1.0), after.view(), layout);
}
inline double after(double x) {
  return 2 * x + 1 > 0 ? 2 * x + 1 : 2 * x + 1 != 2 * x + 1 ? x : 0;
}

/// Numbers of a tensor, in the order in which the caller holds it.
struct numbers {
  std::string_view name{};
  std::vector<double> values{};
};

/// What an output must hold. NaN asks for NaN. Whole numbers are exact, others within `relative`, or `absolute` near 0.
struct wanted {
  std::string_view name{};
  std::vector<double> values{};
  double relative = 1e-5;
  double absolute = 1e-6;
  double zero = 1e-44;  // largest size of what stands for 0; doubles reach below f32
  double whole = 0;     // by which whole numbers may differ, relative
};

struct numeric_case {
  std::vector<numbers> given{};
  std::vector<wanted> results{};
  bool planned = true;  // false: has element types that the plan interpreter does not run
};

inline std::vector<double> repeated(std::size_t count, double x) {
  return std::vector<double>(count, x);
}
/// first, first + 1, ...
inline std::vector<double> counting(std::size_t count, double first = 1) {
  std::vector<double> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = first + static_cast<double>(i);
  return v;
}
inline std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::vector<std::byte> encoded(const std::vector<double>& values, tkl::element type) {
  std::vector<std::byte> bytes(values.size() * tkl::size_of(type));
  const auto put = [&](std::size_t i, auto x) { std::memcpy(bytes.data() + i * sizeof x, &x, sizeof x); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<float>(values[i]);
    switch (type) {
      case tkl::f32:
        put(i, x);
        break;
      case tkl::f16:
        put(i, tkl::to_half(x).bits);
        break;
      case tkl::bf16:
        put(i, tkl::to_bfloat16(x).bits);
        break;
      case tkl::u8:
        put(i, static_cast<std::uint8_t>(values[i]));
        break;
      case tkl::i8:
        put(i, static_cast<std::int8_t>(values[i]));
        break;
      case tkl::i32:
        put(i, static_cast<std::int32_t>(values[i]));
        break;
    }
  }
  return bytes;
}
inline std::vector<double> decoded(const std::vector<std::byte>& bytes, tkl::element type) {
  std::vector<double> values(bytes.size() / tkl::size_of(type));
  const auto get = [&](std::size_t i, auto x) {
    std::memcpy(&x, bytes.data() + i * sizeof x, sizeof x);
    return x;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (type) {
      case tkl::f32:
        values[i] = static_cast<double>(get(i, float{}));
        break;
      case tkl::f16:
        values[i] = static_cast<double>(tkl::to_float(get(i, tkl::half{})));
        break;
      case tkl::bf16:
        values[i] = static_cast<double>(tkl::to_float(get(i, tkl::bfloat16{})));
        break;
      case tkl::u8:
        values[i] = get(i, std::uint8_t{});
        break;
      case tkl::i8:
        values[i] = get(i, std::int8_t{});
        break;
      case tkl::i32:
        values[i] = get(i, std::int32_t{});
        break;
    }
  }
  return values;
}

/// A model's graph and its buffers.
struct prepared {
  tkl::graph graph{};
  std::vector<std::vector<std::byte>> inputs{};
  std::vector<const void*> input_pointers{};
  std::vector<std::vector<std::byte>> outputs{};
  std::vector<void*> output_pointers{};
  std::vector<std::byte> weights{};  // a safetensors file

  const tkl::node& node_of(std::int32_t id) const { return graph.nodes[static_cast<std::size_t>(id)]; }
  std::string_view output_name(std::size_t i) const { return graph.name_at(graph.outputs[i].name); }
  std::vector<double> output(std::size_t i) const { return decoded(outputs[i], node_of(graph.outputs[i].node).type); }
  void poison_outputs(unsigned char byte) {
    for (auto& o : outputs)
      if (!o.empty()) std::memset(o.data(), byte, o.size());
  }
};

inline const std::vector<double>& values_of(const numeric_case& c, std::string_view name) {
  for (const numbers& n : c.given)
    if (n.name == name) return n.values;
  FAIL("no values for '" << std::string(name) << "'");
  return c.given[0].values;
}

template <class Model>
prepared prepare(const numeric_case& c) {
  prepared p;
  tkl::build_model<Model>(p.graph);
  const std::string mistake = p.graph.error.c_str();
  REQUIRE(mistake == "");
  for (const std::int32_t id : p.graph.inputs) {
    const tkl::node& n = p.node_of(id);
    const std::vector<double>& v = values_of(c, p.graph.name_at(n.name));
    REQUIRE(static_cast<std::int64_t>(v.size()) == n.shape.elements().value);
    p.inputs.push_back(encoded(v, n.type));
  }
  // An empty tensor has no bytes but an address.
  static std::byte nothing{};
  for (const auto& b : p.inputs) p.input_pointers.push_back(b.empty() ? &nothing : b.data());
  for (const tkl::graph_output& o : p.graph.outputs) {
    const tkl::node& n = p.node_of(o.node);
    p.outputs.emplace_back(static_cast<std::size_t>(n.shape.elements().value) * tkl::size_of(n.type));
  }
  for (auto& o : p.outputs) p.output_pointers.push_back(o.empty() ? &nothing : o.data());

  std::string header = "{";
  std::vector<std::byte> data;
  for (const tkl::node& n : p.graph.nodes) {
    if (n.kind != tkl::op_kind::weight) continue;
    const std::vector<double>& v = values_of(c, p.graph.name_at(n.name));
    REQUIRE(static_cast<std::int64_t>(v.size()) == n.shape.elements().value);
    const std::vector<std::byte> bytes = encoded(v, n.type);
    if (header.size() > 1) header += ",";
    header += "\"" + std::string(p.graph.name_at(n.name)) + "\":{\"dtype\":\"";
    header += n.type == tkl::f16 ? "F16" : n.type == tkl::bf16 ? "BF16" : "F32";
    header += "\",\"shape\":[";
    for (int i = 0; i < n.shape.rank; ++i) header += (i ? "," : "") + std::to_string(n.shape[i]);
    header +=
        "],\"data_offsets\":[" + std::to_string(data.size()) + "," + std::to_string(data.size() + bytes.size()) + "]}";
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  header += "}";
  while (header.size() % 8 != 0) header += ' ';
  const std::uint64_t size = header.size();
  p.weights.resize(8 + header.size() + data.size());
  std::memcpy(p.weights.data(), &size, 8);
  std::memcpy(p.weights.data() + 8, header.data(), header.size());
  if (!data.empty()) std::memcpy(p.weights.data() + 8 + header.size(), data.data(), data.size());
  return p;
}

/// Checks one output. Outputs that no `wanted` names and that do not end in '+' are mistakes of the test.
inline void check_output(const numeric_case& c, std::string_view name, const std::vector<double>& got,
                         const char* how) {
  const bool made = !name.empty() && name.back() == '+';
  const std::string_view base = made ? name.substr(0, name.size() - 1) : name;
  const wanted* want = nullptr;
  for (const wanted& w : c.results)
    if (w.name == name || (w.name == base && want == nullptr)) want = &w;
  const std::string label(name);
  CAPTURE(label);
  CAPTURE(how);
  REQUIRE(want != nullptr);
  REQUIRE(got.size() == want->values.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    const double x = want->values[i], expected = made && want->name != name ? after(x) : x;
    if (std::isnan(expected)) {
      CHECK(std::isnan(got[i]));
    } else if (expected == 0) {
      if (!(std::fabs(got[i]) <= want->zero)) CHECK(got[i] == 0);
    } else if (expected == std::floor(expected) || std::isinf(expected)) {
      if (!(std::fabs(got[i] - expected) <= want->whole * std::fabs(expected))) CHECK(got[i] == expected);
    } else if (!(std::fabs(got[i] - expected) <= want->absolute + want->relative * std::fabs(expected))) {
      CHECK(got[i] == expected);
    }
  }
}
inline void check_outputs(const numeric_case& c, const prepared& p, const char* how) {
  for (std::size_t i = 0; i < p.outputs.size(); ++i) check_output(c, p.output_name(i), p.output(i), how);
}

/// Node by node in double precision.
inline void check_interpreted(const prepared& p, const numeric_case& c) {
  tkl::interpreter run(p.graph);
  for (const numbers& n : c.given) {
    const std::span<const double> v(n.values);
    if (!run.set_input(n.name, v)) static_cast<void>(run.set_weight(n.name, v));
  }
  const std::string message = run.run().message();
  REQUIRE(message == "");
  for (std::size_t i = 0; i < p.outputs.size(); ++i)
    check_output(c, p.output_name(i), run.output_as_declared(i), "interpreted");
}

/// All passes, the validator, then the plan on the reference machine.
inline void check_planned(prepared& p, const numeric_case& c) {
  using machine = tkl::plan_interpreter;
  const tkl::program made = tkl::make_program(
      p.graph, machine::facts(), [](const tkl::step& s, const tkl::edge* e) { return machine::scratch_bytes(s, e); });
  const std::string mistake = made.error.c_str();
  REQUIRE(mistake == "");
  const std::string invalid = tkl::validate(tkl::view_of(made)).message();
  REQUIRE(invalid == "");
  CHECK(made.arena_bytes <= arena_limit(made.lower_bound, tkl::counts_of(made).buffers));
  const tkl::load_view load{made.loads.data(),
                            static_cast<int>(made.loads.size()),
                            made.folds.data(),
                            made.packed.data(),
                            static_cast<int>(made.packed.size()),
                            made.names.data(),
                            made.weights_bytes,
                            machine::facts().panel,
                            machine::facts().width,
                            0,
                            tkl::real_functions<>};
  const auto file = tkl::safetensors::from_memory(p.weights);
  REQUIRE(file.ok());
  const auto weights = tkl::pack_weights(load, *file, {.allow_surplus = true});
  REQUIRE(weights.ok());
  const auto arena = tkl::memory_block::allocate(made.arena_bytes, false);
  REQUIRE(arena.ok());
  if (made.arena_bytes > 0)
    std::memset(static_cast<void*>(arena->data()), 0xff, static_cast<std::size_t>(made.arena_bytes));
  p.poison_outputs(0xff);
  const machine run(made, weights->data());
  for (int i = 0; i < static_cast<int>(made.steps.size()); ++i) {
    CAPTURE(i);
    run.poison(i, arena->data(), p.output_pointers.data());
    REQUIRE(run.run_step(i, arena->data(), p.input_pointers.data(), p.output_pointers.data()));
  }
  check_outputs(c, p, "planned");
}

}  // namespace tkl_test

#if defined(TKL_HARD_ON_DEVICE)
#  include "run_on_device.hpp"
#else
#  include "run_on_cpu.hpp"
#endif

namespace tkl_test {

template <class Model>
void check_model(const numeric_case& c) {
  prepared p = prepare<Model>(c);
  check_interpreted(p, c);
  if (c.planned) check_planned(p, c);
  check_compiled<Model>(p, c);
}

/// Both flavours of a model.
template <template <flavour> class Model>
void check_flavours(const numeric_case& c) {
  {
    INFO("fused");
    check_model<Model<flavour::fused>>(c);
  }
  {
    INFO("unfused");
    check_model<Model<flavour::unfused>>(c);
  }
}

}  // namespace tkl_test
