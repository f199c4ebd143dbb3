// SPDX-License-Identifier: Apache-2.0
// A model in tensor cores on the simulated GPU, three times with the threads of a block in another order, compared with
// the unoptimised graph.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "support/cuda_compare.hpp"

namespace tkl_test {

/// Largest difference, relative to the largest number of an output; the most shared memory of a block; kernels
/// launched.
struct tile_difference {
  double largest = 0;
  std::size_t shared = 0;
  int launches = 0;
  std::string error{};
};

/// A context of a device with the capability that the target needs.
template <class Target>
const tkl::cuda_context& device_for() {
  static const tkl::cuda_context* const context = [] {
    const int major = std::exchange(cuda_cpu::sim().major, Target::arch_type::facts.capability / 10);
    auto c = tkl::cuda_context::make();
    cuda_cpu::sim().major = major;
    return new tkl::cuda_context(std::move(*c));
  }();
  return *context;
}

template <class Model, class Target>
tile_difference compare_tiles() {
  using net = tkl::compile<Model, Target>;
  tile_difference d;
  tkl::graph g;
  tkl::build_model<Model>(g);
  const graph_inputs inputs(g);
  const auto expected = run_unoptimised(g, inputs);
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  const auto model = net::load(device_for<Target>(), *tensors, {.allow_surplus = true});
  d.error = model.error().message();
  if (!model) return d;
  cuda_cpu::sim().shared_used = 0;
  const int before = cuda_cpu::sim().called["cudaLaunchKernel"];
  const auto workspace = net::workspace::make(*model);
  d.error = workspace.error().message();
  if (!workspace) return d;
  d.shared = cuda_cpu::sim().shared_used;
  d.launches = cuda_cpu::sim().called["cudaLaunchKernel"] - before;
  std::vector<std::vector<std::byte>> outputs = output_buffers(g), first;
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  for (const auto order :
       {cuda_cpu::thread_order::forward, cuda_cpu::thread_order::reverse, cuda_cpu::thread_order::random}) {
    cuda_cpu::order = order;
    d.error = model->run(*workspace, inputs.pointers.data(), pointers.data()).message();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::vector<double> got = widened(outputs[o], g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type);
      double size = 1;
      for (const double v : expected[o]) size = std::fmax(size, std::fabs(v));
      for (std::size_t i = 0; i < got.size(); ++i)
        d.largest = got[i] == got[i] ? std::fmax(d.largest, std::fabs(got[i] - expected[o][i]) / size) : 1e9;
    }
    if (first.empty()) first = outputs;
    if (first != outputs) d.error += "the order of threads changes the result";
  }
  cuda_cpu::order = cuda_cpu::thread_order::forward;
  return d;
}

}  // namespace tkl_test
