// SPDX-License-Identifier: Apache-2.0
// All kernels of steps, and the scratch of any step.
#pragma once

#include <cstdint>
#include <tkl/exec/kernels_chain.hpp>
#include <tkl/exec/kernels_contraction.hpp>
#include <tkl/exec/kernels_rows.hpp>
#include <tkl/exec/kernels_spatial.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// Scratch that a step's kernel needs for each worker, in bytes.
template <class Arch, class M>
constexpr std::int64_t step_scratch_bytes(const step& s, const edge* edges) {
  switch (s.algorithm) {
    case algorithm::matmul:
      return kernel<algorithm::matmul>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::conv2d:
      return kernel<algorithm::conv2d>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::conv2d_staged:
      return kernel<algorithm::conv2d_staged>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::depthwise:
      return kernel<algorithm::depthwise>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::conv_transpose2d:
      return kernel<algorithm::conv_transpose2d>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::pool2d:
      return kernel<algorithm::pool2d>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::reduce:
      return kernel<algorithm::reduce>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::softmax:
      return kernel<algorithm::softmax>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::layer_norm:
      return kernel<algorithm::layer_norm>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::attention:
      return kernel<algorithm::attention>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::resize2d:
      return kernel<algorithm::resize2d>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::pad:
      return kernel<algorithm::pad>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::winograd:
      return kernel<algorithm::winograd>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::conv_chain:
      return kernel<algorithm::conv_chain>::template scratch_bytes<Arch, M>(s, edges);
    case algorithm::map:
      return kernel<algorithm::map>::template scratch_bytes<Arch, M>(s, edges);
  }
  return 0;
}

TKL_ISA_END
}  // namespace tkl
