// SPDX-License-Identifier: Apache-2.0
// Where an output of a resize reads its input along one axis, in closed form (ONNX Resize, opset 19, no antialiasing).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/graph/attributes.hpp>

namespace tkl {

/// Two neighbours along an axis and the weight of the second: 0 where the first alone counts.
struct resize_source {
  std::int32_t low = 0;
  std::int32_t high = 0;
  double weight = 0;
};

/// One axis of a resize. `scale` is the factor from input to output that the coordinates use; the extents' ratio where
/// it is 0 or rounds to the same f32.
struct resize_axis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  float scale = 0;
  coordinate_kind coordinates = coordinate_kind::half_pixel;
  rounding_kind rounding = rounding_kind::round_prefer_floor;
};

TKL_ISA_BEGIN

/// (output + shift) / scale. A ratio of extents is used as such, so that whole coordinates come out whole; a scale that
/// is none divides in f32, the precision in which it was given.
inline double resize_quotient(const resize_axis& a, double output) {
  const double in = static_cast<double>(a.in), out = static_cast<double>(a.out);
  if (a.scale == 0.0f || a.scale == static_cast<float>(out / in)) return output * in / out;
  return static_cast<double>(static_cast<float>(output) / a.scale);
}

/// Coordinate in the input of output `o`; whole numbers are centres of elements.
inline double resize_coordinate_of(const resize_axis& a, std::int64_t o) {
  const double output = static_cast<double>(o);
  switch (a.coordinates) {
    case coordinate_kind::half_pixel:
      return resize_quotient(a, output + 0.5) - 0.5;
    case coordinate_kind::pytorch_half_pixel:
      return a.out == 1 ? 0.0 : resize_quotient(a, output + 0.5) - 0.5;
    case coordinate_kind::asymmetric:
      return resize_quotient(a, output);
    case coordinate_kind::align_corners:
      return a.out == 1 ? 0.0 : output * static_cast<double>(a.in - 1) / static_cast<double>(a.out - 1);
  }
  return 0.0;
}

/// The element nearest to the coordinate, as both neighbours. Coordinates beyond the border give the border.
inline resize_source nearest_source(const resize_axis& a, std::int64_t o) {
  const double at = resize_coordinate_of(a, o);
  double index = 0.0;
  switch (a.rounding) {
    case rounding_kind::floor:
      index = std::floor(at);
      break;
    case rounding_kind::ceil:
      index = std::ceil(at);
      break;
    case rounding_kind::round_prefer_floor:
      index = std::ceil(at - 0.5);
      break;
    case rounding_kind::round_prefer_ceil:
      index = std::floor(at + 0.5);
      break;
  }
  const auto inside = static_cast<std::int32_t>(std::clamp(index, 0.0, static_cast<double>(a.in - 1)));
  return {inside, inside, 0.0};
}

/// The two elements around the coordinate. Coordinates beyond the border give the border.
inline resize_source linear_source(const resize_axis& a, std::int64_t o) {
  const double at = std::clamp(resize_coordinate_of(a, o), 0.0, static_cast<double>(a.in - 1));
  const auto low = static_cast<std::int32_t>(at);
  const double weight = at - static_cast<double>(low);
  return {low, weight > 0.0 ? low + 1 : low, weight};
}

template <resize_kind K>
TKL_FN resize_source source_of(const resize_axis& a, std::int64_t o) {
  if constexpr (K == resize_kind::nearest) {
    return nearest_source(a, o);
  } else {
    return linear_source(a, o);
  }
}

TKL_ISA_END
}  // namespace tkl
