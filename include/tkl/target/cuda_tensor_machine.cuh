// SPDX-License-Identifier: Apache-2.0
// The machine of blocks: the algorithms of algo/mma run on it, warps multiply matrices in tensor cores.
//
// f32 operands are rounded to tf32, whose fraction has 10 bits, or split into two of them: x = big + rest, and the
// product of two such sums is taken without rest * rest (three instructions; the error of a product is about 2^-21).
// For inputs of 16 bits the weights are rounded to the same type.
#pragma once

#include <bit>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/schedule/mma.hpp>
#include <tkl/target/cuda_block_machine.cuh>
#include <tkl/target/cuda_ptx.cuh>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN

template <cuda_product P, class In, class Out, class Epilogue>
class cuda_tensor_machine : public cuda_block_machine<In, Out, Epilogue> {
  using base = cuda_block_machine<In, Out, Epilogue>;
  static constexpr bool split = P == cuda_product::split;
  static_assert(std::is_same_v<In, float> || (!split && sizeof(In) == 2));

 public:
  using integer = typename base::integer;
  using base::vector;
  static constexpr int pack = vector / 4;
  using base::base;

  TKL_FN float* shared(int i) const { return ptx::shared_memory() + i; }
  TKL_FN std::uint32_t word(int i) const { return std::bit_cast<std::uint32_t>(*shared(i)); }
  TKL_FN std::uint16_t short_word(int i) const { return static_cast<std::uint16_t>(word(i / 2) >> 16 * (i % 2)); }
  TKL_FN void copy(float* to, integer i, bool inside) const { copy(role::in, to, i, inside); }
  TKL_FN void copy(role r, float* to, integer i, bool inside) const {
    const void* const from = this->arguments().in[r == role::second ? 1 : 0].data;
    ptx::copy_async_16(to, static_cast<const In*>(from) + i, inside);
  }
  TKL_FN void copy_weights(float* to, integer i, bool inside) const {
    ptx::copy_async_16(to, this->weights() + i, inside);
  }
  TKL_FN void commit() const { ptx::commit_copies(); }
  template <int Open>
  TKL_FN void wait() const {
    ptx::wait_copies<Open>();
  }

  template <int N>
  struct operand {
    std::uint32_t big[N];
    std::uint32_t rest[split ? N : 1];
  };
  using rows_operand = operand<4>;
  using columns_operand = operand<2>;
  TKL_FN rows_operand load_rows(const float* row) const {
    std::uint32_t words[4];
    ptx::load_matrices(words, row);
    return operand_of(words);
  }
  template <int N>
  TKL_FN operand<N> operand_of(const std::uint32_t (&words)[N]) const {
    operand<N> r{};
    TKL_UNROLL
    for (int i = 0; i < N; ++i) {
      r.big[i] = words[i];
      if constexpr (pack == 1) set(r, i, std::bit_cast<float>(words[i]));
    }
    return r;
  }
  template <class F>
  TKL_FN columns_operand load_columns(F f) const {
    columns_operand r{};
    TKL_UNROLL
    for (int i = 0; i < 2; ++i) {
      if constexpr (pack == 1) {
        set(r, i, f(4 * i));
      } else if constexpr (std::is_same_v<In, half>) {
        r.big[i] = ptx::pack_f16(f(8 * i), f(8 * i + 1));
      } else {
        r.big[i] = ptx::pack_bf16(f(8 * i), f(8 * i + 1));
      }
    }
    return r;
  }
  TKL_FN void multiply(float (&d)[4], const rows_operand& a, const columns_operand& b) const {
    if constexpr (std::is_same_v<In, half>) {
      ptx::multiply_f16(d, a.big, b.big);
    } else if constexpr (std::is_same_v<In, bfloat16>) {
      ptx::multiply_bf16(d, a.big, b.big);
    } else {
      if constexpr (split) {
        ptx::multiply_tf32(d, a.rest, b.big);
        ptx::multiply_tf32(d, a.big, b.rest);
      }
      ptx::multiply_tf32(d, a.big, b.big);
    }
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
