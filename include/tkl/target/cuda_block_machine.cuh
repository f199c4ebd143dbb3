// SPDX-License-Identifier: Apache-2.0
// What machines of blocks have in common: which block and thread, single weights, two columns finished at once.
#pragma once

#include <tkl/config.hpp>
#include <tkl/target/cuda_machine.cuh>

namespace tkl {
TKL_ISA_BEGIN

template <class In, class Out, class Epilogue>
class cuda_block_machine : public cuda_machine<In, Out, Epilogue> {
  using base = cuda_machine<In, Out, Epilogue>;

 public:
  using integer = typename base::integer;
  static constexpr int vector = 16 / sizeof(In);

  /// `x`, `y`, `z`: which block.
  TKL_FN cuda_block_machine(const cuda_arguments& a, integer thread, integer x, integer y, integer z)
      : base(a, x, y, z, thread) {}

  TKL_FN integer thread() const { return this->team_place(); }
  TKL_FN integer block(int d) const { return this->item(d); }
  /// Blocks that share the depth.
  TKL_FN integer parts() const { return static_cast<integer>(this->arguments().blocks[2]); }
  TKL_FN const float* weights() const { return static_cast<const float*>(this->arguments().weights); }
  TKL_FN float weight(integer i) const { return weights()[i]; }
  TKL_FN void barrier() const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    __syncthreads();
#endif
  }
  TKL_FN void finish(float a, float b, const typename base::place& at, integer end) const {
    this->finish_lanes(cuda_value<2>{{a, b}}, at, end - at.c);
  }
};

TKL_ISA_END
}  // namespace tkl
