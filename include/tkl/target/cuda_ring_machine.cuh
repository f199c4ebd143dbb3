// SPDX-License-Identifier: Apache-2.0
// The machine of warpgroups: algo/mma/product_ring.hpp runs on it, with a tensor map for the first operand and tiles of
// weights that exec/cuda_weight_tiles.hpp has prepared. Inputs of 16 bits.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/schedule/ring.hpp>
#include <tkl/target/cuda_block_machine.cuh>
#include <tkl/target/cuda_ptx_90.cuh>
#include <tkl/target/cuda_wgmma.cuh>

namespace tkl {

/// What a kernel of warpgroups takes.
struct cuda_ring_arguments {
  CUtensorMap in{};                  // axes: channels of a group, groups, columns, rows, batch
  const std::byte* tiles = nullptr;  // of the weights
  ring_space space{};
  cuda_arguments step{};
};

TKL_ISA_BEGIN

/// `TileBytes`: of a tile of weights.
template <unsigned TileBytes, class In, class Out, class Epilogue>
class cuda_ring_machine : public cuda_block_machine<In, Out, Epilogue> {
  using base = cuda_block_machine<In, Out, Epilogue>;
  static_assert(sizeof(In) == 2);

 public:
  using integer = typename base::integer;
  TKL_FN cuda_ring_machine(const cuda_ring_arguments& a, integer thread, integer x, integer y, integer z)
      : base(a.step, thread, x, y, z), a_(a) {}

  TKL_FN const ring_space& space() const { return a_.space; }

  TKL_FN std::uint32_t shared() const { return ptx::shared_address(); }
  TKL_FN void begin_barrier(std::uint32_t b, unsigned arrivals) const { ptx::begin_barrier(b, arrivals); }
  TKL_FN void begun() const {
    ptx::show_barriers();
    this->barrier();
  }
  TKL_FN void expect(std::uint32_t b, unsigned bytes) const { ptx::arrive_expecting(b, bytes); }
  TKL_FN void arrive(std::uint32_t b) const { ptx::arrive(b); }
  TKL_FN void wait(std::uint32_t b, integer phase) const { ptx::wait_parity(b, static_cast<unsigned>(phase % 2)); }

  TKL_FN void fetch_rows(std::uint32_t to, std::uint32_t b, integer channel, integer group, integer column, integer row,
                         integer n) const {
    const std::int32_t at[] = {channel, group, column, row, n};
    ptx::copy_box(to, a_.in, at, b);
  }
  TKL_FN void fetch_columns(std::uint32_t to, std::uint32_t b, integer tile) const {
    ptx::copy_bytes(to, a_.tiles + std::int64_t{tile} * TileBytes, TileBytes, b);
  }

  template <int Sums>
  TKL_FN void pin(float (&d)[Sums]) const {
    ptx::pin_sums(d);
  }
  TKL_FN void begin_products() const { ptx::begin_products(); }
  template <int Sums>
  TKL_FN void multiply(float (&d)[Sums], std::uint64_t a, std::uint64_t b) const {
    ptx::multiply_warpgroup<In>(d, a, b);
  }
  TKL_FN void end_products() const { ptx::end_products(); }
  template <int Open>
  TKL_FN void wait_products() const {
    ptx::wait_products<Open>();
  }

 private:
  const cuda_ring_arguments& a_;
};

TKL_ISA_END
}  // namespace tkl
