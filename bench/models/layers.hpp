// SPDX-License-Identifier: Apache-2.0
// Layers of the networks whose parameters are named by their place in nested lists, "b.1.a.0.weight", as PyTorch names
// those of nn.Sequential.
#pragma once

#include <cstdint>
#include <string_view>
#include <tests/golden/networks/torch_layers.hpp>

namespace bench {

using tkl::value;
using tkl::test::name_text;
using tkl::test::parameter;

/// "b.1" and 0 make "b.1.0"; an empty list "0".
constexpr name_text part(const name_text& of, int index) {
  name_text name = of;
  return name << (of.view().empty() ? "" : ".") << index;
}
constexpr name_text part(const name_text& of, std::string_view what) {
  name_text name = of;
  return name << (of.view().empty() ? "" : ".") << what;
}

/// Convolution (part 0) without bias and batch norm (part 1).
constexpr value conv_norm(value x, const name_text& list, std::int64_t out, tkl::pair2 kernel = 1,
                          const tkl::conv2d_params& p = {}) {
  const std::int64_t in = x.shape()[3] / p.groups;
  x = tkl::conv2d(x, parameter(x, part(list, 0), "weight", {out, in, kernel.rows, kernel.columns}), p);
  const name_text norm = part(list, 1);
  const tkl::shape channels{out};
  return tkl::batch_norm(x, parameter(x, norm, "weight", channels), parameter(x, norm, "bias", channels),
                         parameter(x, norm, "running_mean", channels), parameter(x, norm, "running_var", channels));
}

/// A 1x1 convolution with bias.
constexpr value conv_bias(value x, const name_text& name, std::int64_t out, std::int64_t stride = 1) {
  return tkl::conv2d(x, parameter(x, name, "weight", {out, x.shape()[3], 1, 1}), parameter(x, name, "bias", {out}),
                     {.stride = stride});
}

/// A fully connected layer; weights are out x in.
constexpr value dense(value x, const name_text& name, std::int64_t out) {
  const std::int64_t in = x.shape()[x.shape().rank - 1];
  return tkl::linear(x, parameter(x, name, "weight", {out, in}), parameter(x, name, "bias", {out}));
}

/// Mean over the picture, a fully connected layer `fc`, softmax.
constexpr value probabilities(value x, std::int64_t classes) {
  x = tkl::reshape(tkl::global_average_pool(x), {x.shape()[0], x.shape()[3]});
  return tkl::softmax(dense(x, "fc", classes));
}

}  // namespace bench
