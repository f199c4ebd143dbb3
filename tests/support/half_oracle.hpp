// SPDX-License-Identifier: Apache-2.0
// How far each element may be that a step computes in half precision: derived from the operands that it read, the
// length of its sums and the operations of its expression (docs/numerics.md), not from what was found.
//
//   element-wise step:  its expression, evaluated with numbers that carry a bound (inexact.hpp)
//   contraction:        a sum of n products is within 8 u / (1 - 8 u) of the sum of their magnitudes, u = 2^-11, and
//                       n * 2^-25 for products that are subnormal; its epilogue, in f32, passes that on
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <tkl/exec/opencl_precision.hpp>
#include <tkl/exec/run_context.hpp>
#include <vector>

#include "support/inexact.hpp"
#include "support/step_oracle.hpp"

namespace tkl_test {

class half_oracle : public step_oracle {
 public:
  using step_oracle::step_oracle;

  int maps = 0, contractions = 0;  // steps that computed in half precision
  std::size_t unbounded = 0;       // elements without a bound

  template <class F>
  void before(int i, F memory) {
    take(i, memory);
    allowed.clear();
    const tkl::step& s = device_.steps[static_cast<std::size_t>(i)];
    const tkl::kernel_key& key = device_.keys[static_cast<std::size_t>(s.kernel)];
    const int own = step_of(i);
    if (own >= 0 && tkl::maps_in_half(key)) {
      ++maps;
      allow<true>(own, {}, {});
    } else if (own >= 0 && tkl::multiplies_in_half(key)) {
      ++contractions;
      allow_sums(own);
    }
    run(i);
  }

 private:
  /// What the elements of step `own` may differ by. `sums`: its accumulators, `errors`: theirs.
  template <bool Half>
  void allow(int own, const std::vector<double>& sums, const std::vector<double>& errors) {
    const tkl::step& s = program_.steps[static_cast<std::size_t>(own)];
    const tkl::expr_code& code = program_.keys[static_cast<std::size_t>(s.kernel)].epilogue;
    tkl::run_context<tkl::serial> c;
    c.edges = program_.edges.data();
    c.inputs = inputs_.data(), c.outputs = out_.data(), c.arena = arena_.data(), c.weights = weights_.data();
    const tkl::operand_values values = tkl::operands_of(code, s.operand, s.literal, c);
    const std::int32_t* extent = program_.edges[static_cast<std::size_t>(s.out)].extent;
    for (std::int64_t n = 0; n < extent[0]; ++n)
      for (std::int64_t h = 0; h < extent[1]; ++h)
        for (std::int64_t w = 0; w < extent[2]; ++w)
          for (std::int64_t k = 0; k < extent[3]; ++k) {
            inexact_leaf<Half> leaf;
            leaf.exact.at = {{n, h, w}, k};
            if (!sums.empty()) leaf.v = {sums[allowed.size()], errors[allowed.size()]};
            allowed.push_back(walk(code, values, leaf).e);
            unbounded += !std::isfinite(allowed.back());
          }
  }

  /// The same of a contraction: its sums without the epilogue, and the sums of the magnitudes.
  void allow_sums(int own) {
    const tkl::step& s = program_.steps[static_cast<std::size_t>(own)];
    const tkl::edge& in = program_.edges[static_cast<std::size_t>(s.in[0])];
    std::vector<std::byte> weights = weights_, arena = arena_;
    const std::vector<double> sums = plain_sums(own, arena, weights);
    for (const tkl::packed_tensor& t : program_.packed)
      for (std::int64_t at = 0; t.type == tkl::f32 && at < t.bytes; at += 4)
        make_positive(weights.data() + t.offset + at);
    arena = arena_;
    if (in.where == tkl::space::arena)
      for_elements(s.in[0], [&](std::int64_t, std::int64_t at) { make_positive(arena.data() + in.offset + 4 * at); });
    std::vector<double> errors = plain_sums(own, arena, weights);
    constexpr double rounding = 8 * 0x1p-11;
    const double products = 1.0 * s.parameters.kernel[0] * s.parameters.kernel[1] * in.extent[3] / s.parameters.groups;
    for (double& e : errors) e = e * rounding / (1 - rounding) + products * 0x1p-25;
    allow<false>(own, sums, errors);
  }
  std::vector<double> plain_sums(int own, std::vector<std::byte>& arena, const std::vector<std::byte>& weights) {
    tkl::program plain = program_;
    const tkl::step& s = plain.steps[static_cast<std::size_t>(own)];
    plain.keys[static_cast<std::size_t>(s.kernel)].epilogue = {};
    std::vector<std::vector<std::byte>> outputs = outputs_;
    std::vector<void*> out;
    for (auto& o : outputs) out.push_back(o.data());
    if (!tkl::plan_interpreter(plain, weights.data()).run_step(own, arena.data(), inputs_.data(), out.data()))
      error = "a contraction is not one of the reference machine";
    const tkl::edge& to = program_.edges[static_cast<std::size_t>(s.out)];
    const std::byte* first =
        (to.where == tkl::space::arena ? arena.data() : outputs[static_cast<std::size_t>(to.index)].data()) + to.offset;
    std::vector<double> sums;
    for_elements(s.out, [&](std::int64_t, std::int64_t at) { sums.push_back(read(to.type, first, at)); });
    return sums;
  }
  static void make_positive(std::byte* at) {
    float v = 0;
    std::memcpy(&v, at, sizeof v);
    v = std::fabs(v);
    std::memcpy(at, &v, sizeof v);
  }
};

/// Lets half_oracle.hpp see a run.
template <class Target>
struct half_watcher {
  const tkl::graph& g;
  const graph_inputs& inputs;
  std::unique_ptr<half_oracle> oracle{};
  template <class F>
  void before(const tkl::program& p, int i, F memory) {
    if (!oracle) oracle = std::make_unique<half_oracle>(g, inputs, p, Target::facts());
    if (oracle->error.empty()) oracle->before(i, memory);
  }
  template <class F>
  void after(int i, F memory) {
    if (oracle->error.empty()) oracle->after(i, 2e-6, memory);
  }
};

}  // namespace tkl_test
