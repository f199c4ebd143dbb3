// SPDX-License-Identifier: Apache-2.0
// YOLOv5s, version 6, at 640x640: trunk, neck and the three raw heads, boxes not decoded.
#pragma once

#include <bench/models/layers.hpp>

namespace bench {

struct yolov5s {
  static constexpr value c(value x, const name_text& name, std::int64_t out, std::int64_t kernel = 1,
                           std::int64_t stride = 1) {
    return tkl::silu(conv_norm(x, name, out, kernel, {.stride = stride, .pad = kernel / 2}));
  }
  /// Two branches, one of them through `count` bottlenecks, joined.
  static constexpr value c3(value x, const name_text& name, std::int64_t out, int count, bool residual = true) {
    value y = c(x, part(name, "a"), out / 2);
    for (int i = 0; i < count; ++i) {
      const name_text block = part(part(name, "m"), i);
      const value z = c(c(y, part(block, "a"), out / 2), part(block, "b"), out / 2, 3);
      y = residual ? y + z : z;
    }
    return c(tkl::concat(3, y, c(x, part(name, "b"), out / 2)), part(name, "c"), out);
  }
  /// Pooling over 5, 9 and 13 pixels as three poolings over 5.
  static constexpr value pyramid(value x, const name_text& name, std::int64_t channels) {
    const auto pool = [](value v) { return tkl::max_pool2d(v, {.kernel = 5, .stride = 1, .pad = 2}); };
    x = c(x, part(name, "a"), channels / 2);
    const value y = pool(x), z = pool(y);
    return c(tkl::concat(3, x, y, z, pool(z)), part(name, "b"), channels);
  }
  static constexpr value doubled(value x) { return tkl::resize(x, {.scale = 2.0}); }

  static constexpr void build(tkl::graph& g) {
    value x = g.input("x0", tkl::f32, {1, 640, 640, 3}, tkl::memory_layout::nchw);
    x = tkl::silu(conv_norm(x, "p3.0", 32, 6, {.stride = 2, .pad = 2}));
    x = c3(c(x, "p3.1", 64, 3, 2), "p3.2", 64, 1);
    const value p3 = c3(c(x, "p3.3", 128, 3, 2), "p3.4", 128, 2);
    const value p4 = c3(c(p3, "p4.0", 256, 3, 2), "p4.1", 256, 3);
    x = c3(c(p4, "p5.0", 512, 3, 2), "p5.1", 512, 1);
    const value top = c(pyramid(x, "p5.2", 512), "h10", 256);
    const value middle = c(c3(tkl::concat(3, doubled(top), p4), "h13", 256, 1, false), "h14", 128);
    const value fine = c3(tkl::concat(3, doubled(middle), p3), "h17", 128, 1, false);
    const value medium = c3(tkl::concat(3, c(fine, "h18", 128, 3, 2), middle), "h20", 256, 1, false);
    const value coarse = c3(tkl::concat(3, c(medium, "h21", 256, 3, 2), top), "h23", 512, 1, false);
    g.output(conv_bias(fine, "d.0", 255), "small", tkl::memory_layout::nchw);
    g.output(conv_bias(medium, "d.1", 255), "medium", tkl::memory_layout::nchw);
    g.output(conv_bias(coarse, "d.2", 255), "large", tkl::memory_layout::nchw);
  }
};

}  // namespace bench
