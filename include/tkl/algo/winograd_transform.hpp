// SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's minimal filtering F(m x m, 3 x 3): a tile of m x m outputs of a 3 x 3 convolution from
// (m + 2)^2 products per channel instead of 9 m^2.
//
//   Y = A^T [ (G g G^T) * (B^T d B) ] A          g: 3 x 3 taps, d: m + 2 input pixels squared, *: element by element
//
// (Winograd, "Arithmetic Complexity of Computations", 1980; Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks", 2016.) Filtering a signal is a product of polynomials, which is evaluated at m + 1 points and at infinity
// and interpolated (Toom and Cook). The points come in pairs p, -p, so that both share the even and the odd half of a
// polynomial. For m = 2 they are 0, 1, -1; for m = 4 they are 0, 3/4, -3/4, 3/2, -3/2: exact in f32, and with 0.2 to
// 0.4 times the error of the usual 0, 1, -1, 2, -2, because the transforms enlarge their numbers less.
#pragma once

#include <tkl/config.hpp>

namespace tkl {

/// Sides of a tile of m x m outputs in the transformed domain.
TKL_TAGGED constexpr int winograd_side(int outputs) {
  return outputs + 2;
}
/// Products per channel of a tile: as many matrix products as the algorithm runs.
TKL_TAGGED constexpr int winograd_products(int outputs) {
  return winograd_side(outputs) * winograd_side(outputs);
}

namespace detail {

// The pairs of points of F(4, 3), and their squares.
inline constexpr float winograd_a = 0.75f, winograd_b = 1.5f;
inline constexpr float winograd_a2 = winograd_a * winograd_a, winograd_b2 = winograd_b * winograd_b;

/// G: filters of three taps at each point, divided by the product of its distances from the others; then at infinity.
struct winograd_filter {
  int side = 0;
  double at[6][3]{};

  TKL_TAGGED constexpr explicit winograd_filter(int outputs) : side(winograd_side(outputs)) {
    constexpr double a = double{winograd_a}, b = double{winograd_b};
    const double two[]{0, 1, -1}, four[]{0, a, -a, b, -b};
    const double* const point = outputs == 2 ? two : four;
    for (int i = 0; i < side - 1; ++i) {
      double divisor = 1;
      for (int j = 0; j < side - 1; ++j)
        if (j != i) divisor *= point[i] - point[j];
      at[i][0] = 1 / divisor, at[i][1] = point[i] / divisor, at[i][2] = point[i] * point[i] / divisor;
    }
    at[side - 1][2] = 1;
  }
};

}  // namespace detail

TKL_ISA_BEGIN

/// G g G^T, in double precision; side * side numbers. `taps`: 3 x 3.
template <class TR>
TKL_FN constexpr void transform_filter(const detail::winograd_filter& g, const TR* taps, double* u) {
  double half[6][3]{};
  for (int i = 0; i < g.side; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) half[i][j] += g.at[i][k] * static_cast<double>(taps[3 * k + j]);
  for (int i = 0; i < g.side; ++i)
    for (int j = 0; j < g.side; ++j, ++u) {
      *u = 0;
      for (int k = 0; k < 3; ++k) *u += half[i][k] * g.at[j][k];
    }
}

/// B^T d along one axis.
template <class M, int Side>
TKL_FN void transform_input(const typename M::value (&d)[Side], typename M::value (&v)[Side]) {
  using value = typename M::value;
  if constexpr (Side == 4) {
    v[0] = d[2] - d[0];
    v[1] = d[2] + d[1];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
  } else {
    static_assert(Side == 6);
    constexpr float a = detail::winograd_a, b = detail::winograd_b, a2 = detail::winograd_a2, b2 = detail::winograd_b2;
    const value neg_sum = M::constant(-(a2 + b2)), product = M::constant(a2 * b2);
    v[0] = d[4], M::mac_in_place(v[0], neg_sum, d[2]), M::mac_in_place(v[0], product, d[0]);
    v[5] = d[5], M::mac_in_place(v[5], neg_sum, d[3]), M::mac_in_place(v[5], product, d[1]);
    value even = d[4], odd = M::constant(a) * d[3];
    M::mac_in_place(even, M::constant(-b2), d[2]), M::mac_in_place(odd, M::constant(-a * b2), d[1]);
    v[1] = even + odd, v[2] = even - odd;
    even = d[4], odd = M::constant(b) * d[3];
    M::mac_in_place(even, M::constant(-a2), d[2]), M::mac_in_place(odd, M::constant(-a2 * b), d[1]);
    v[3] = even + odd, v[4] = even - odd;
  }
}

/// A^T x along one axis.
template <class M, int Side>
TKL_FN void transform_output(const typename M::value (&x)[Side], typename M::value (&y)[Side - 2]) {
  using value = typename M::value;
  if constexpr (Side == 4) {
    y[0] = x[0] + (x[1] + x[2]);
    y[1] = x[3] + (x[1] - x[2]);
  } else {
    static_assert(Side == 6);
    constexpr float a = detail::winograd_a, b = detail::winograd_b, a2 = detail::winograd_a2, b2 = detail::winograd_b2;
    const value sum_a = x[1] + x[2], difference_a = x[1] - x[2], sum_b = x[3] + x[4], difference_b = x[3] - x[4];
    y[0] = x[0] + (sum_a + sum_b);
    y[1] = M::constant(a) * difference_a, M::mac_in_place(y[1], M::constant(b), difference_b);
    y[2] = M::constant(a2) * sum_a, M::mac_in_place(y[2], M::constant(b2), sum_b);
    y[3] = x[5], M::mac_in_place(y[3], M::constant(a * a2), difference_a);
    M::mac_in_place(y[3], M::constant(b * b2), difference_b);
  }
}

TKL_ISA_END
}  // namespace tkl
