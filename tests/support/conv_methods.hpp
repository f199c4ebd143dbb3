// SPDX-License-Identifier: Apache-2.0
// Methods of convolutions that no estimate would choose, for tests with small shapes.
#pragma once

#include <cstdint>
#include <tkl/graph.hpp>
#include <tkl/graph/conv_choice.hpp>

namespace tkl_test {

/// Asks for Winograd's algorithm in every convolution that it can run, by tiles of both sizes in turn: the estimates
/// would never choose it for shapes as small as these. The number of such convolutions.
constexpr int ask_for_winograd(tkl::graph& g) {
  int asked = 0;
  for (tkl::node& n : g.nodes) {
    const tkl::attributes& a = n.attr;
    if (n.kind != tkl::op_kind::conv2d || n.type != tkl::element::f32) continue;
    if (!tkl::suits_winograd(a.kernel, a.stride, a.dilation, a.groups)) continue;
    n.attr.method =
        static_cast<std::uint8_t>(++asked % 2 != 0 ? tkl::conv_method::winograd4 : tkl::conv_method::winograd2);
  }
  return asked;
}

}  // namespace tkl_test
