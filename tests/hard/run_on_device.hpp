// SPDX-License-Identifier: Apache-2.0
// The part of hard_run.hpp that runs a model on a device, its kernels found when the program runs. The program includes
// opencl_compare.hpp or cuda_compare.hpp before a file of models: device_target, run_planned<Schedule>(plan, graph,
// inputs).
#pragma once

#include <string>

#include "hard_run.hpp"

namespace tkl_test {

/// The model's plan for device_target.
template <class Model>
void check_compiled(prepared& p, const numeric_case& c) {
  const device_run run =
      run_planned<device_target::items>(planned_graph<device_target>(p.graph, p.weights), p.graph, p.input_pointers);
  REQUIRE(run.error == "");
  REQUIRE(run.refused == "");
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    check_output(c, p.output_name(i), run.outputs[i], "on the device");
}

}  // namespace tkl_test
