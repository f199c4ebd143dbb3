// SPDX-License-Identifier: Apache-2.0
// The machine of blocks: the algorithms of algo/mma run on it, warps multiply matrices in tensor cores.
//
// f32 operands are rounded to tf32, whose fraction has 10 bits, or split into two of them: x = big + rest, and the
// product of two such sums is taken without rest * rest (three instructions; the error of a product is about 2^-21).
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/schedule/mma.hpp>
#include <tkl/target/cuda_machine.cuh>
#include <tkl/target/cuda_ptx.cuh>

namespace tkl {
TKL_ISA_BEGIN

template <cuda_product P, class Out, class Epilogue>
class cuda_tensor_machine : public cuda_machine<float, Out, Epilogue> {
  using base = cuda_machine<float, Out, Epilogue>;
  static constexpr bool split = P == cuda_product::tf32_thrice;

 public:
  using integer = typename base::integer;

  TKL_FN cuda_tensor_machine(const cuda_arguments& a, integer thread, integer x, integer y)
      : base(a, x, y, 0, thread) {}

  TKL_FN integer thread() const { return this->team_place(); }
  TKL_FN integer block(int d) const { return this->item(d); }
  TKL_FN float weight(integer i) const { return this->arguments().weights[i]; }

  TKL_FN float* shared(int i) const { return ptx::shared_memory() + i; }
  TKL_FN void copy(float* to, role r, integer i, bool inside) const {
    const auto* from =
        r == role::weights ? this->arguments().weights : static_cast<const float*>(this->arguments().in[0].data);
    ptx::copy_async_16(to, from + i, inside);
  }
  TKL_FN void commit() const { ptx::commit_copies(); }
  template <int Open>
  TKL_FN void wait() const {
    ptx::wait_copies<Open>();
  }
  TKL_FN void barrier() const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    __syncthreads();
#endif
  }

  template <int N>
  struct operand {
    std::uint32_t big[N];
    std::uint32_t rest[split ? N : 1];
  };
  TKL_FN operand<4> load_rows(const float* row) const {
    std::uint32_t words[4];
    ptx::load_matrices(words, row);
    operand<4> r;
    TKL_UNROLL
    for (int i = 0; i < 4; ++i) set(r, i, std::bit_cast<float>(words[i]));
    return r;
  }
  TKL_FN operand<2> load_columns(float a, float b) const {
    operand<2> r;
    set(r, 0, a);
    set(r, 1, b);
    return r;
  }
  TKL_FN void multiply(float (&d)[4], const operand<4>& a, const operand<2>& b) const {
    if constexpr (split) {
      ptx::multiply_tf32(d, a.rest, b.big);
      ptx::multiply_tf32(d, a.big, b.rest);
    }
    ptx::multiply_tf32(d, a.big, b.big);
  }

  TKL_FN void finish(float a, float b, const typename base::place& at, integer end) const {
    this->finish_lanes(cuda_value<2>{{a, b}}, at, end - at.c);
  }

 private:
  template <int N>
  TKL_FN static void set(operand<N>& r, int i, float v) {
    r.big[i] = ptx::to_tf32(v);
    if constexpr (split) r.rest[i] = ptx::to_tf32(v - std::bit_cast<float>(r.big[i]));
  }
};

TKL_ISA_END
}  // namespace tkl
