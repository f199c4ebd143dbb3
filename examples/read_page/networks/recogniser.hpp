// SPDX-License-Identifier: Apache-2.0
// PP-OCRv4 text recogniser: a line of text of height 48 to class probabilities, one row per 8 columns.
#pragma once

#include "backbone.hpp"

namespace read_page {

inline constexpr backbone recogniser_backbone{.stem = 10,
                                              .stem_norm = 2,
                                              .first = 157,
                                              .rows = {{{3, 1, 32},
                                                        {3, 1, 64},
                                                        {3, 1, 64},
                                                        {3, {2, 1}, 128},
                                                        {3, 1, 128},
                                                        {3, {1, 2}, 240},
                                                        {5, 1, 240},
                                                        {5, 1, 240},
                                                        {5, 1, 240},
                                                        {5, 1, 240},
                                                        {5, {2, 1}, 480, 106},
                                                        {5, 1, 480, 117},
                                                        {5, {2, 1}, 480},
                                                        {5, 1, 480}}}};

/// Inputs: `picture` u8 [1, 48, Width, 3], R, G, B, and `width` i32 [1], the columns in use (the others count as grey).
/// Output: f32 [1, Width / 8, 6625].
template <auto Width>
struct recogniser {
  static constexpr std::int64_t steps = Width / 8;
  static constexpr std::int64_t features = 120;

  static constexpr value conv_norm(value x, int i, int norm, std::int64_t out, tkl::pair2 kernel = 1) {
    return tkl::silu(batch_norm(conv(x, i, {.out = out, .kernel = kernel, .bias = false}), "batch_norm2d_", norm));
  }
  static constexpr value linear(value x, int i, std::int64_t out) {
    return tkl::matmul(x, numbered(x, "linear_", i, ".w_0", {x.shape()[2], out})) +
           numbered(x, "linear_", i, ".b_0", {out});
  }
  static constexpr value norm(value x, int i, double eps) {
    return tkl::layer_norm(x, numbered(x, "layer_norm_", i, ".w_0", {features}),
                           numbered(x, "layer_norm_", i, ".b_0", {features}), {.eps = eps});
  }

  /// One encoder layer with 8 heads of 15 (Du et al. 2022), norms before attention and before the two-layer network.
  static constexpr value mixing_block(value z, int first_linear, int first_norm) {
    const auto [q, k, v] = tkl::split<3>(linear(norm(z, first_norm, 1e-5), first_linear, 3 * features), -1);
    z = z + linear(tkl::attention(q, k, v, {.heads = 8}), first_linear + 1, features);
    const value hidden = tkl::silu(linear(norm(z, first_norm + 1, 1e-5), first_linear + 2, 2 * features));
    return z + linear(hidden, first_linear + 3, features);
  }

  /// From numbers -1 .. 1 on.
  static constexpr value network(value picture) {
    const value x = recogniser_backbone(picture).back();
    const value f = tkl::average_pool2d(x, {.kernel = {3, 2}}).named("pooled");

    value h = conv_norm(conv_norm(f, 142, 148, 60, {1, 3}), 143, 149, features);
    value z = tkl::reshape(h, {1, steps, features}).named("sequence");
    z = mixing_block(z, 77, 43).named("block0");
    z = mixing_block(z, 81, 45);
    z = norm(z, 47, 1e-6).named("encoded");

    h = conv_norm(tkl::reshape(z, {1, 1, steps, features}), 144, 150, 480);
    h = conv_norm(tkl::concat(3, f, h), 145, 151, 60, {1, 3});
    h = conv_norm(h, 146, 152, features);
    return tkl::softmax(linear(tkl::reshape(h, {1, steps, features}), 85, 6625).named("logits"));
  }

  static constexpr value build(tkl::graph& g) {
    const value picture = g.input("picture", tkl::element::u8, {1, 48, Width, 3});
    const value width = g.input("width", tkl::element::i32, {1});
    return network(tkl::keep_first(normalised(picture), width, 2));
  }
};

}  // namespace read_page
