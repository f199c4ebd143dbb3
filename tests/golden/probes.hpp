// SPDX-License-Identifier: Apache-2.0
// Inner edges of the networks under test, in the order of the network: the names that our graphs give them, and ONNX
// Runtime's. The first that differs is where to look.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <tkl/graph/outputs.hpp>

namespace tkl::test {

struct probe {
  std::string_view edge{};    // in the graph
  std::string_view tensor{};  // in the golden file
};

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

/// The models with those edges as further outputs. Nothing is fused across an output, so each has the value that the
/// unoptimised graph gives it.
template <class Model>
using probed_recogniser =
    with_outputs<Model, "stem", "row1", "row4.depthwise", "pooled", "sequence", "block0", "encoded", "logits">;
template <class Model>
using probed_detector = with_outputs<Model, "stem", "row2", "row4", "row9", "row13", "pyramid", "doubled">;
template <class Model>
using probed_classifier = with_outputs<Model, "conv1", "conv2", "conv4", "conv5_gated", "conv12", "features">;

}  // namespace tkl::test
