// SPDX-License-Identifier: Apache-2.0
// CUDA as a target of plans: its facts, and what it does not run. No CUDA header is needed here: a plan can be made and
// looked at without one.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/arch/cuda.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/exec/work_items.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {

TKL_ISA_BEGIN
struct cuda_run_time;  // graph/compile_cuda.cuh
TKL_ISA_END

/// Target of compile<Model, cuda<Arch>>. `Arch`: a tag of arch/cuda.hpp, or any with `items` and `facts`, and `tiles`
/// where it has tensor cores. `Product`: how convolutions and products with constant weights multiply. Tensor cores
/// take the steps whose channels and strides are whole vectors of 16 bytes; the others are computed in f32.
template <class Arch = arch::simt, cuda_product Product = cuda_product::f32>
struct cuda {
  using arch_type = Arch;
  using run_time = cuda_run_time;
  static constexpr cuda_product product = Product;
  static_assert(Product == cuda_product::f32 || Arch::facts.tensor_tf32_bf16, "the architecture has no tensor cores");
  using executor_type = serial;
  static constexpr work_item_schedule items = Arch::items;
  static_assert(valid_work_item_schedule<items>, "the architecture's schedule is not usable");
  static_assert(!items.literal_extents, "literal_extents is of kernels that are texts; those of CUDA take arguments");

  static constexpr target_facts facts() {
    target_facts f;
    f.width = item_width;
    f.panel = item_width;
    f.rows = items.pixels;
    f.l1_bytes = Arch::facts.cache_bytes;
    f.stages_plain = false;                       // an item loads a vector of channels where they need no conversion
    f.packs_half = product == cuda_product::f32;  // tensor cores take panels of f32 and round them themselves
    return f;
  }
  static constexpr std::int64_t scratch_bytes(const step&, const edge*) { return 0; }
  static constexpr std::string_view unsupported(const step& s, const kernel_key& k, const edge* edges) {
    return item_unsupported(s, k, edges);
  }
};

}  // namespace tkl
