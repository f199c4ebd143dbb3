// SPDX-License-Identifier: Apache-2.0
// How a convolution is cut. Convolutions run on the register tile of the matrix product: its rows are output pixels.
#pragma once

#include <tkl/schedule/gemm.hpp>

namespace tkl {

/// A register tile of mr output pixels by nr vectors of output channels; kc products (taps x input channels) are summed
/// per pass over blocks of mc pixels. Staged convolutions copy the input rows of `band` output rows at a time.
struct conv_schedule {
  int mr = 6;
  int nr = 2;
  int kc = 256;
  int mc = 96;
  int band = 4;
  constexpr bool operator==(const conv_schedule&) const = default;

  /// The matrix product that this convolution is.
  constexpr gemm_schedule gemm() const { return {mr, nr, kc, mc, nr}; }
};

/// The convolution with the blocks of a matrix product.
constexpr conv_schedule conv_from(gemm_schedule s) {
  return {s.mr, s.nr, s.kc, s.mc, 4};
}

template <conv_schedule S, class Arch>
concept conv_fits_registers = fits_registers<S.gemm(), Arch>;

}  // namespace tkl
