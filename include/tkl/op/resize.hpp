// SPDX-License-Identifier: Apache-2.0
// Resizing rows and columns by nearest neighbour or bilinear interpolation (ONNX Resize without antialiasing).
#pragma once

#include <cmath>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/params.hpp>
#include <tkl/op/window.hpp>

namespace tkl {

/// Attributes of resize: either `scale` (result = floor(input * scale)) or `extent` (rows, columns of the result).
/// The defaults of the others are ONNX's. The names of the four enumerations stand in graph/attributes.hpp.
struct resize_params {
  real2 scale = 0.0;
  pair2 extent = unset;
  resize_kind kind = resize_kind::nearest;
  coordinate_kind coordinates = coordinate_kind::half_pixel;
  rounding_kind rounding = rounding_kind::round_prefer_floor;
  constexpr bool operator==(const resize_params&) const = default;
};

/// Shape of the result, and the factors that coordinates use: the written scales, or result / input.
struct resize_rule_result {
  shape_or_complaint result{};
  double scale[2]{};
};

/// Shape rule of resize: x [N, H, W, C] -> [N, H', W', C].
TKL_TAGGED constexpr resize_rule_result resize_rule(const shape& x, const resize_params& p) {
  resize_rule_result r;
  complaint& error = r.result.error;
  const bool by_extent = p.extent.rows != unset, by_scale = !(p.scale == real2(0.0));
  if (x.rank != 4)
    error << "input has shape " << x << " with " << x.rank << " axes, needs 4: batch, row, column, channel";
  else if (by_extent && by_scale)
    error << "both scale " << p.scale.rows << 'x' << p.scale.columns << " and extent " << p.extent.rows << 'x'
          << p.extent.columns << " are given";
  else if (!by_extent && !by_scale)
    error << "neither scale nor extent is given";
  if (!error.empty()) return r;
  shape out = x;
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t in = x[1 + axis];
    const double factor = p.scale[axis];
    if (in < 1) {
      error << spatial_name(axis) << "the input has 0 elements, resize needs 1";
    } else if (by_extent) {
      error = need_attribute(axis, "extent", p.extent[axis], 1);
      out[1 + axis] = p.extent[axis];
      r.scale[axis] = static_cast<double>(p.extent[axis]) / static_cast<double>(in);
    } else if (!(factor > 0)) {
      error << spatial_name(axis) << "scale is " << factor << ", must be above 0";
    } else {
      const double exact = static_cast<double>(in) * factor;
      if (!(exact < 2147483648.0))
        error << spatial_name(axis) << "input " << in << " times scale " << factor << " is beyond 2147483647";
      else if (exact < 1)
        error << spatial_name(axis) << "input " << in << " times scale " << factor
              << " is below 1: the result would be empty";
      else
        out[1 + axis] = static_cast<std::int64_t>(exact);
      r.scale[axis] = factor;
    }
    if (!error.empty()) return r;
  }
  r.result = checked_shape(out);
  return r;
}

/// Resized rows and columns.
constexpr value resize(value x, const resize_params& p) {
  node_builder b("resize", op_kind::resize2d, {x});
  if (b.silent) return b.none();
  const resize_rule_result rule = resize_rule(x->shape, p);
  if (!rule.result.ok()) return b.fail(rule.result.error);
  b.made.attr.mode = static_cast<std::uint8_t>(p.kind);
  b.made.attr.coordinates = static_cast<std::uint8_t>(p.coordinates);
  b.made.attr.rounding = static_cast<std::uint8_t>(p.rounding);
  b.made.attr.real[0] = rule.scale[0];
  b.made.attr.real[1] = rule.scale[1];
  return b.finish(x->type, rule.result);
}

TKL_ISA_BEGIN

/// Coordinate in the input that output index `o` reads.
inline double resize_coordinate(std::int64_t o, std::int64_t in, std::int64_t out, double scale, coordinate_kind kind) {
  const double at = static_cast<double>(o);
  switch (kind) {
    case coordinate_kind::half_pixel:
      return (at + 0.5) / scale - 0.5;
    case coordinate_kind::pytorch_half_pixel:
      return out == 1 ? 0.0 : (at + 0.5) / scale - 0.5;
    case coordinate_kind::asymmetric:
      return at / scale;
    case coordinate_kind::align_corners:
      return out == 1 ? 0.0 : at * static_cast<double>(in - 1) / static_cast<double>(out - 1);
  }
  return 0.0;
}

/// Index of the nearest element to a coordinate, inside the input.
inline std::int64_t resize_nearest(double coordinate, std::int64_t in, rounding_kind rounding) {
  double at = 0;
  switch (rounding) {
    case rounding_kind::floor:
      at = std::floor(coordinate);
      break;
    case rounding_kind::ceil:
      at = std::ceil(coordinate);
      break;
    case rounding_kind::round_prefer_floor:
      at = std::ceil(coordinate - 0.5);
      break;
    case rounding_kind::round_prefer_ceil:
      at = std::floor(coordinate + 0.5);
      break;
  }
  return at < 0 ? 0 : at > static_cast<double>(in - 1) ? in - 1 : static_cast<std::int64_t>(at);
}

/// For each row and column of the result: its coordinates, then the nearest element, or the two by two around them
/// weighted by distance; elements beyond the border repeat the border.
inline void resize2d_definition(real_input x, real_output y, const attributes& a) {
  const auto kind = static_cast<coordinate_kind>(a.coordinates);
  const auto rounding = static_cast<rounding_kind>(a.rounding);
  const bool nearest = a.mode == static_cast<std::uint8_t>(resize_kind::nearest);
  struct source {
    std::int64_t low, high;
    double weight;  // of high
  };
  const auto locate = [&](std::int64_t o, int axis) -> source {
    const std::int64_t in = x.shape[1 + axis];
    const double at = resize_coordinate(o, in, y.shape[1 + axis], a.real[axis], kind);
    if (nearest) {
      const std::int64_t index = resize_nearest(at, in, rounding);
      return {index, index, 0.0};
    }
    const double inside = at < 0 ? 0 : at > static_cast<double>(in - 1) ? static_cast<double>(in - 1) : at;
    const auto low = static_cast<std::int64_t>(inside);
    return {low, low + 1 < in ? low + 1 : low, inside - static_cast<double>(low)};
  };
  // A weight of 0 selects: an infinite neighbour that is not read must not become NaN.
  const auto mix = [](double low, double high, double weight) {
    return weight == 0 ? low : low * (1 - weight) + high * weight;
  };
  for (std::int64_t n = 0; n < y.shape[0]; ++n)
    for (std::int64_t h = 0; h < y.shape[1]; ++h) {
      const source row = locate(h, 0);
      for (std::int64_t w = 0; w < y.shape[2]; ++w) {
        const source column = locate(w, 1);
        for (std::int64_t c = 0; c < y.shape[3]; ++c)
          y.at(n, h, w, c) =
              mix(mix(x.at(n, row.low, column.low, c), x.at(n, row.low, column.high, c), column.weight),
                  mix(x.at(n, row.high, column.low, c), x.at(n, row.high, column.high, c), column.weight), row.weight);
      }
    }
}

TKL_ISA_END
}  // namespace tkl
