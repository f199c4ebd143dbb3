// SPDX-License-Identifier: Apache-2.0
// Encoders with the norm behind each part (Devlin et al. 2018), from embeddings on: the look-up of words is outside.
#pragma once

#include <bench/models/layers.hpp>

namespace bench {

/// Input f32 [1, Rows, Width]; Layers of attention with Heads heads and a two-layer network of Inner columns.
template <int Layers, int Rows, int Width, int Heads, int Inner>
struct encoder {
  static constexpr value norm(value x, const name_text& name) {
    return tkl::layer_norm(x, parameter(x, name, "weight", {Width}), parameter(x, name, "bias", {Width}),
                           {.eps = 1e-12});
  }
  static constexpr value layer(value x, const name_text& name) {
    const value q = dense(x, part(name, "q"), Width), k = dense(x, part(name, "k"), Width),
                v = dense(x, part(name, "v"), Width);
    x = norm(x + dense(tkl::attention(q, k, v, {.heads = Heads}), part(name, "o"), Width), part(name, "n1"));
    const value hidden = tkl::gelu(dense(x, part(name, "f1"), Inner));
    return norm(x + dense(hidden, part(name, "f2"), Width), part(name, "n2"));
  }
  static constexpr value build(tkl::graph& g) {
    value x = g.input("x0", tkl::f32, {1, Rows, Width});
    for (int i = 0; i < Layers; ++i) x = layer(x, part("", i));
    return x;
  }
};

}  // namespace bench
