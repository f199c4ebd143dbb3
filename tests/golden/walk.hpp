// SPDX-License-Identifier: Apache-2.0
// Walks the outputs of a compiled program with probes: each is compared with the golden file's tensor, and named with
// the step that wrote it.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <tkl/cpu.hpp>
#include <tuple>
#include <vector>

#include "compare.hpp"
#include "network_input.hpp"
#include "probes.hpp"

namespace tkl::test {

struct walked_edge {
  std::string edge{};  // "output" for the network's own
  int step = -1;       // the last that wrote it
  std::string step_name{};
  double error = 0;
  double limit = 0;
  bool good() const { return error <= limit; }
};

/// Runs `net`, compiled from a model with probes, on a golden file. One entry per probe that the file has, in the
/// network's order, then the output: its error absolute, those of the probes as parts of the tensor's largest
/// magnitude.
template <class Network>
std::vector<walked_edge> walk(const Network& net, const golden_file& golden, std::span<const probe> probes) {
  const edge* edges = Network::plan_edges();
  const network_input input(golden, edges[Network::plan_inputs()[0]]);
  std::vector<const void*> in;
  for (int i = 0; i < Network::inputs; ++i) in.push_back(input.buffer(edges[Network::plan_inputs()[i]]));
  std::vector<std::vector<float>> values;
  std::vector<void*> out;
  for (int i = 0; i < Network::outputs; ++i) {
    std::size_t elements = 1;
    for (std::int32_t e : edges[Network::plan_outputs()[i]].extent) elements *= static_cast<std::size_t>(e);
    values.emplace_back(elements);
  }
  for (std::vector<float>& v : values) out.push_back(v.data());
  const auto workspace = Network::workspace::make();
  if (!workspace) throw std::runtime_error(workspace.error().message());
  if (const status s = net.run(*workspace, in.data(), out.data()); !s) throw std::runtime_error(s.message());

  std::vector<walked_edge> all;
  for (int i = 0; i < Network::outputs; ++i) {
    const edge& e = edges[Network::plan_outputs()[i]];
    const std::string_view name = e.name < 0 ? "" : Network::plan_names() + e.name;
    const auto p = std::ranges::find(probes, name, &probe::edge);
    const bool own = p == probes.end();
    const std::string tensor(own ? "output" : p->tensor);
    if (!golden.has(tensor)) continue;
    const difference d =
        compare(values[static_cast<std::size_t>(i)].data(), values[static_cast<std::size_t>(i)].size(), golden[tensor]);
    walked_edge w{own ? "output" : std::string(name),
                  -1,
                  {},
                  own ? d.largest : d.relative(),
                  own ? probability_tolerance : inner_tolerance};
    for (int s = 0; s < Network::steps; ++s) {
      const edge& written = edges[Network::plan_steps()[s].out];
      if (written.where == space::output && written.index == i) w.step = s;
    }
    if (w.step >= 0 && Network::plan_steps()[w.step].name >= 0)
      w.step_name = Network::plan_names() + Network::plan_steps()[w.step].name;
    all.push_back(w);
  }
  std::ranges::sort(all, {}, [](const walked_edge& w) { return std::tie(w.step, w.edge); });
  return all;
}

/// The first entry that differs; null when all agree.
inline const walked_edge* first_difference(const std::vector<walked_edge>& all) {
  const auto found = std::ranges::find_if(all, [](const walked_edge& w) { return !w.good(); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tkl::test
