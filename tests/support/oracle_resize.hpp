// SPDX-License-Identifier: Apache-2.0
// Resize from the definition of ONNX, one element at a time, in double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <support/oracle_spatial.hpp>
#include <tkl/graph/attributes.hpp>

namespace tkl::test {

inline double resize_coordinate_oracle(coordinate_kind kind, std::int64_t o, std::int64_t in, std::int64_t out,
                                       double scale) {
  const double x = static_cast<double>(o);
  if (kind == coordinate_kind::asymmetric) return x / scale;
  if (kind == coordinate_kind::align_corners)
    return out == 1 ? 0.0 : x * static_cast<double>(in - 1) / static_cast<double>(out - 1);
  if (kind == coordinate_kind::pytorch_half_pixel && out == 1) return 0.0;
  return (x + 0.5) / scale - 0.5;
}

/// Index by rounding; ties decided on the coordinate itself.
inline std::int64_t resize_index_oracle(rounding_kind kind, double at, std::int64_t in) {
  const double below = std::floor(at), fraction = at - below;
  double index = below;
  if (kind == rounding_kind::ceil && fraction > 0) index = below + 1;
  if (kind == rounding_kind::round_prefer_floor && fraction > 0.5) index = below + 1;
  if (kind == rounding_kind::round_prefer_ceil && fraction >= 0.5) index = below + 1;
  return index < 0 ? 0 : index > static_cast<double>(in - 1) ? in - 1 : static_cast<std::int64_t>(index);
}

template <class T>
double nearest_oracle(const image<T>& x, coordinate_kind coordinates, rounding_kind rounding,
                      const std::int64_t (&out)[2], const double (&scale)[2], std::int64_t n, std::int64_t r,
                      std::int64_t c, std::int64_t k) {
  const double row = resize_coordinate_oracle(coordinates, r, x.extent(1), out[0], scale[0]);
  const double column = resize_coordinate_oracle(coordinates, c, x.extent(2), out[1], scale[1]);
  return number(
      x(n, resize_index_oracle(rounding, row, x.extent(1)), resize_index_oracle(rounding, column, x.extent(2)), k));
}

/// Hat functions around the coordinate; neighbours beyond the border repeat it.
template <class T>
double bilinear_oracle(const image<T>& x, coordinate_kind coordinates, const std::int64_t (&out)[2],
                       const double (&scale)[2], std::int64_t n, std::int64_t r, std::int64_t c, std::int64_t k) {
  const double at[2] = {resize_coordinate_oracle(coordinates, r, x.extent(1), out[0], scale[0]),
                        resize_coordinate_oracle(coordinates, c, x.extent(2), out[1], scale[1])};
  double sum = 0.0;
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v) {
      const double place[2] = {std::floor(at[0]) + u, std::floor(at[1]) + v};
      double weight = 1.0;
      std::int64_t index[2];
      for (int axis = 0; axis < 2; ++axis) {
        weight *= 1.0 - std::fabs(at[axis] - place[axis]);
        const double last = static_cast<double>(x.extent(1 + axis) - 1);
        index[axis] = static_cast<std::int64_t>(place[axis] < 0 ? 0 : place[axis] > last ? last : place[axis]);
      }
      sum += weight * number(x(n, index[0], index[1], k));
    }
  return sum;
}

}  // namespace tkl::test
