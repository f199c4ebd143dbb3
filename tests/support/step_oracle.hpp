// SPDX-License-Identifier: Apache-2.0
// What each step of a plan should store, given the very operands that a device read: the reference machine runs the
// step in double precision on what lies in the device's memory, widened, and with the weights as they are packed.
//
// So a tolerance is that of one step, however far a network enlarges the roundings of the steps before it.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <tkl/graph/plan_interpreter.hpp>
#include <vector>

#include "support/device_run.hpp"
#include "support/walked.hpp"

namespace tkl_test {

/// Units of rounding of a storage type, and the largest error of a subnormal number.
inline double rounding_of(tkl::element type) {
  return type == tkl::f16 ? 0x1p-11 : type == tkl::bf16 ? 0x1p-8 : 0x1p-24;
}
inline double smallest_error_of(tkl::element type) {
  return type == tkl::f16 ? 0x1p-25 : 0;
}

class step_oracle {
 public:
  /// `device`: the program that the device runs. `facts`: those that it was made with.
  step_oracle(const tkl::graph& g, const graph_inputs& inputs, const tkl::program& device, tkl::target_facts facts)
      : device_(device), program_(program_of(g, facts)), inputs_(inputs.pointers), outputs_(output_buffers(g)) {
    for (auto& o : outputs_) out_.push_back(o.data());
    arena_.resize(static_cast<std::size_t>(program_.arena_bytes));
    error = program_.error.c_str();
    if (!error.empty() || program_.steps.size() != device.steps.size()) return;
    pack(g);
    step_of_.assign(program_.edges.size(), -1);
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      step_of_[static_cast<std::size_t>(program_.steps[i].out)] = static_cast<int>(i);
  }

  std::string error{};

  /// Before step i of the device: takes its operands and computes its result. `memory(edge)`: where an edge's first
  /// element lies on the device, readable by the host.
  template <class F>
  void before(int i, F memory) {
    take(i, memory);
    run(i);
  }

  /// The first half of before().
  template <class F>
  void take(int i, F memory) {
    const tkl::step& s = device_.steps[static_cast<std::size_t>(i)];
    const auto take = [&](std::int16_t e) {
      if (e < 0) return;
      const tkl::edge& from = device_.edges[static_cast<std::size_t>(e)];
      if (from.where != tkl::space::arena && from.where != tkl::space::output) return;
      for_elements(e, [&](std::int64_t at, std::int64_t own) { write(e, own, read(from.type, memory(from), at)); });
    };
    for (const std::int16_t e : s.in) take(e);
    for (const std::int16_t e : s.operand) take(e);
    for (const std::int16_t e : s.prologue_operand) take(e);
  }
  /// The second.
  void run(int i) {
    const int own = step_of(i);
    if (own < 0 ||
        !tkl::plan_interpreter(program_, weights_.data()).run_step(own, arena_.data(), inputs_.data(), out_.data()))
      error = "step " + std::to_string(i) + " is not one of the reference machine";
  }

  /// Behind it: compares what the device has stored. An element may differ by its rounding to the storage type, by
  /// `tolerance` of the largest element, or of 1, and by what `allowed` grants it.
  template <class F>
  void after(int i, double tolerance, F memory) {
    const std::int16_t e = device_.steps[static_cast<std::size_t>(i)].out;
    const tkl::edge& to = device_.edges[static_cast<std::size_t>(e)];
    const tkl::edge& own_edge = program_.edges[static_cast<std::size_t>(e)];
    double largest = 1;
    for_elements(e, [&](std::int64_t, std::int64_t own) {
      largest = std::fmax(largest, std::fabs(read(own_edge.type, address(own_edge), own)));
    });
    std::size_t element = 0;
    for_elements(e, [&](std::int64_t at, std::int64_t own) {
      const double expected = read(own_edge.type, address(own_edge), own), got = read(to.type, memory(to), at);
      const double more = allowed.empty() ? 0 : allowed[element++];
      const double most =
          rounding_of(to.type) * (std::fabs(expected) + more) + smallest_error_of(to.type) + tolerance * largest + more;
      const double beyond = std::fabs(expected - got) - rounding_of(to.type) * std::fabs(expected);
      worst = std::fmax(worst, beyond / largest);
      if (more > 0) share = std::fmax(share, (beyond - tolerance * largest) / more);
      if (!(std::fabs(expected - got) <= most) && error.empty())
        error = std::string(tkl::name_of(device_.steps[static_cast<std::size_t>(i)].algorithm)) + ", step " +
                std::to_string(i) + ": " + std::to_string(expected) + " expected, " + std::to_string(got) + " given";
    });
  }

  double worst = 0;               // error beyond the rounding, relative to the largest element
  std::vector<double> allowed{};  // errors that the elements of the next result may have besides; empty: none
  double share = 0;               // of what was allowed

 protected:
  /// The reference machine's step that computes what step i of the device does; -1 where there is none.
  int step_of(int i) const {
    return step_of_[static_cast<std::size_t>(device_.steps[static_cast<std::size_t>(i)].out)];
  }
  static tkl::program program_of(const tkl::graph& g, tkl::target_facts facts) {
    using interpreter = tkl::plan_interpreter;
    facts.stored = facts.packed = tkl::f32;
    facts.width = interpreter::facts().width;
    facts.panel = interpreter::facts().panel;
    return tkl::make_program(g, facts,
                             [](const tkl::step& s, const tkl::edge* e) { return interpreter::scratch_bytes(s, e); });
  }
  /// Weights in the layout of the reference machine, rounded as the device's are.
  void pack(const tkl::graph& g) {
    const tkl::program& p = program_;
    const std::vector<std::byte> file = random_weights_file(g);
    const auto tensors = tkl::safetensors::from_memory(file);
    tkl::load_view load{p.loads.data(),
                        static_cast<int>(p.loads.size()),
                        p.folds.data(),
                        p.packed.data(),
                        static_cast<int>(p.packed.size()),
                        p.names.data(),
                        p.weights_bytes,
                        tkl::plan_interpreter::facts().panel,
                        tkl::plan_interpreter::facts().width,
                        0,
                        tkl::real_functions<>};
    const auto packed = tkl::pack_weights(load, *tensors, {.allow_surplus = true});
    error = packed.error().message();
    if (!packed) return;
    weights_.assign(packed->data(), packed->data() + p.weights_bytes);
    for (std::size_t t = 0; t < p.packed.size(); ++t) {
      const tkl::element type = device_.packed[t].type;
      if (type == p.packed[t].type) continue;
      for (std::int64_t at = 0; at < p.packed[t].bytes; at += 4) {
        float v = 0;
        std::memcpy(&v, weights_.data() + p.packed[t].offset + at, 4);
        v = type == tkl::f16 ? tkl::to_float(tkl::to_half(v)) : tkl::to_float(tkl::to_bfloat16(v));
        std::memcpy(weights_.data() + p.packed[t].offset + at, &v, 4);
      }
    }
  }

  /// Calls f(element on the device, element here) for all elements of an edge.
  template <class F>
  void for_elements(std::int16_t e, F f) const {
    const tkl::edge &a = device_.edges[static_cast<std::size_t>(e)], &b = program_.edges[static_cast<std::size_t>(e)];
    for (std::int64_t n = 0; n < a.extent[0]; ++n)
      for (std::int64_t h = 0; h < a.extent[1]; ++h)
        for (std::int64_t w = 0; w < a.extent[2]; ++w)
          for (std::int64_t c = 0; c < a.extent[3]; ++c)
            f(n * a.stride[0] + h * a.stride[1] + w * a.stride[2] + c * a.stride[3],
              n * b.stride[0] + h * b.stride[1] + w * b.stride[2] + c * b.stride[3]);
  }
  std::byte* address(const tkl::edge& e) {
    return (e.where == tkl::space::arena ? arena_.data() : outputs_[static_cast<std::size_t>(e.index)].data()) +
           e.offset;
  }
  static double read(tkl::element type, const std::byte* first, std::int64_t i) {
    return with_type(type, [&](auto element) {
      std::memcpy(&element, first + i * static_cast<std::int64_t>(sizeof element), sizeof element);
      return tkl::widen<double>(element);
    });
  }
  void write(std::int16_t e, std::int64_t i, double v) {
    const tkl::edge& to = program_.edges[static_cast<std::size_t>(e)];
    with_type(to.type, [&](auto element) {
      element = tkl::narrow<decltype(element)>(v);
      std::memcpy(address(to) + i * static_cast<std::int64_t>(sizeof element), &element, sizeof element);
      return 0;
    });
  }

  const tkl::program& device_;
  tkl::program program_;
  std::vector<std::byte> weights_{}, arena_{};
  std::vector<int> step_of_{};  // by the edge that it writes
  const std::vector<const void*>& inputs_;
  std::vector<std::vector<std::byte>> outputs_;
  std::vector<void*> out_{};
};

}  // namespace tkl_test
