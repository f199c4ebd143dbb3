// SPDX-License-Identifier: Apache-2.0
// Compares each step of a graph on a device with step_oracle.hpp. The device is one of opencl_compare.hpp,
// cuda_compare.hpp and opencl_native.hpp: run_on_device<Schedule, Target>(graph, inputs, watch).
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "support/step_oracle.hpp"

namespace tkl_test {

/// Lets step_oracle.hpp see a run.
template <class Target>
struct step_watcher {
  const tkl::graph& g;
  const graph_inputs& inputs;
  double tolerance;
  std::unique_ptr<step_oracle> oracle{};
  template <class F>
  void before(const tkl::program& p, int i, F memory) {
    if (!oracle) oracle = std::make_unique<step_oracle>(g, inputs, p, Target::facts());
    if (oracle->error.empty()) oracle->before(i, memory);
  }
  template <class F>
  void after(int i, F memory) {
    if (oracle->error.empty()) oracle->after(i, tolerance, memory);
  }
};

/// Compares what every step of a graph stores on the device with the reference machine's result from the same operands.
/// Empty, or why the target has no kernels for it, or what differs.
template <class Target>
std::string check_steps(const tkl::graph& g, double tolerance, double* worst = nullptr) {
  const graph_inputs inputs(g);
  step_watcher<Target> w{g, inputs, tolerance};
  const device_run run = run_on_device<Target::items, Target>(g, inputs.pointers, w);
  if (!run.good()) return run.refused + run.error;
  if (worst != nullptr && w.oracle) *worst = std::fmax(*worst, w.oracle->worst);
  return w.oracle ? w.oracle->error : "";
}

}  // namespace tkl_test
