// SPDX-License-Identifier: Apache-2.0
// Inner edges of the networks under test: the names that our graphs give them, and ONNX Runtime's.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tkl/graph.hpp>

namespace tkl::test {

struct probe {
  std::string_view edge{};    // in the graph
  std::string_view tensor{};  // in the golden file
};

// In the order of the network: the first that differs is where to look.
inline constexpr std::array<probe, 8> recogniser_probes{{{"stem", "batch_norm_2.tmp_2"},
                                                         {"row1", "p2o.Add.31"},
                                                         {"row4.depthwise", "p2o.Add.71"},
                                                         {"pooled", "p2o.AveragePool.1"},
                                                         {"sequence", "transpose_43.tmp_0"},
                                                         {"block0", "p2o.Add.251"},
                                                         {"encoded", "p2o.Add.275"},
                                                         {"logits", "p2o.Add.277"}}};
inline constexpr std::array<probe, 7> detector_probes{{{"stem", "batch_norm_67.tmp_2"},
                                                       {"row2", "p2o.Add.43"},
                                                       {"row4", "p2o.Add.71"},
                                                       {"row9", "p2o.Add.147"},
                                                       {"row13", "p2o.Add.215"},
                                                       {"pyramid", "p2o.Concat.1"},
                                                       {"doubled", "p2o.Add.279"}}};
inline constexpr std::array<probe, 6> classifier_probes{{{"conv1", "hardswish_0.tmp_0"},
                                                         {"conv2", "batch_norm_3.tmp_2"},
                                                         {"conv4", "elementwise_add_0"},
                                                         {"conv5_gated", "tmp_1"},
                                                         {"conv12", "elementwise_add_6"},
                                                         {"features", "pool2d_10.tmp_0"}}};
inline constexpr std::array<probe, 0> no_probes{};

/// The value that a graph names so; invalid when there is none.
constexpr value named(graph& g, std::string_view name) {
  for (std::size_t i = g.nodes.size(); i-- > 0;)
    if (g.nodes[i].name >= 0 && g.name_at(g.nodes[i].name) == name) return {&g, static_cast<std::int32_t>(i)};
  text<240> m;
  return g.fail(m << "no value is named '" << name << "'");
}

/// A model with its probed edges as further outputs.
template <class Model, const auto& Probes>
struct probed {
  static constexpr auto build(graph& g) {
    std::array<value, std::tuple_size_v<std::remove_cvref_t<decltype(Probes)>> + 1> outputs{};
    outputs[0] = Model::build(g);
    for (std::size_t i = 0; i < Probes.size(); ++i) outputs[i + 1] = named(g, Probes[i].edge);
    return outputs;
  }
};

}  // namespace tkl::test
