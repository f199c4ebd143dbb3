// SPDX-License-Identifier: Apache-2.0
// The recogniser on the simulated GPU.
#include <read_page/networks/recogniser.hpp>
#include <tkl/cuda.cuh>

#include "../network_input.hpp"
#include "outputs.hpp"

machines::output machines::simulated(const std::string& weights, const std::string& path) {
  using network = tkl::compile<read_page::recogniser<320>, tkl::cuda<>>;
  static const auto context = tkl::cuda_context::make();
  if (!context) return {context.error().message(), {}};
  const auto model = network::load(*context, weights.c_str());
  if (!model) return {model.error().message(), {}};
  const auto memory = network::workspace::make(*model);
  if (!memory) return {memory.error().message(), {}};
  const tkl::test::golden_file golden(path);
  const tkl::test::network_input input(golden, network::plan().input(0));
  const std::int32_t width[] = {input.width()};
  output out;
  out.values.resize(40 * 6625);
  out.error = (*model)(*memory, input.picture(), +width, out.values).message();
  return out;
}
