// SPDX-License-Identifier: Apache-2.0
// The recogniser on the CPU at the level of this unit's flags.
#include <read_page/networks/recogniser.hpp>
#include <tkl/cpu.hpp>

#include "../network_input.hpp"
#include "outputs.hpp"

machines::output machines::TKL_MACHINE(const std::string& weights, const std::string& path) {
  using network = tkl::compile<read_page::recogniser<320>, tkl::cpu<>>;
  const auto model = network::load(weights.c_str());
  if (!model) return {model.error().message(), {}};
  const auto memory = network::workspace::make();
  if (!memory) return {memory.error().message(), {}};
  const tkl::test::golden_file golden(path);
  const tkl::test::network_input input(golden, network::plan_edges()[network::plan_inputs()[0]]);
  const std::int32_t width[] = {input.width()};
  output out;
  out.values.resize(40 * 6625);
  out.error = (*model)(*memory, input.picture(), +width, out.values).message();
  return out;
}
