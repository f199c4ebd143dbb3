// SPDX-License-Identifier: Apache-2.0
// What is said of every CPU architecture, and what its schedules must keep to.
//
// A tag of arch/ has: name; level, the tag whose instructions it uses; registers and width_f32 (vector registers,
// lanes); multiply_add; features; cache; scheduling_model; the default schedules gemm, conv, attention, depthwise_tile;
// and work, what one product of the depth costs the register tile. It needs no instruction set to be compiled.
#pragma once

#include <string_view>
#include <tkl/schedule/attention.hpp>
#include <tkl/schedule/conv.hpp>
#include <tkl/schedule/depthwise.hpp>
#include <tkl/schedule/gemm.hpp>

namespace tkl {

/// The multiply-add that hot loops are made of.
struct multiply_add_atom {
  std::string_view instruction;  // how its name begins in a disassembly; without fused ones, the multiplication's
  int per_cycle = 1;             // whole vectors that one core starts in a cycle
  int latency = 4;               // cycles from factors to sum
  bool fused = true;             // rounds once
};

/// Arithmetic beyond f32 that a core may be asked for. A level that does not ask for it says no, whatever its
/// processors have.
struct core_features {
  bool fp16 = false;         // arithmetic on halves: AVX512_FP16, FEAT_FP16
  bool bf16 = false;         // products of bfloat16 summed in f32: AVX512_BF16, FEAT_BF16
  bool dot_product = false;  // four 8-bit products per 32-bit lane: AVX512_VNNI, FEAT_DotProd
  bool i8_matrix = false;    // 2 x 8 by 8 x 2 products of 8 bits: FEAT_I8MM
};

/// Whether the default schedules of an architecture suit its registers and caches. (No concept: g++ 12 crashes where
/// one takes schedules from a type.)
template <class Arch>
constexpr bool schedules_fit() {
  constexpr gemm_schedule product = Arch::gemm, convolution = Arch::conv.gemm();
  constexpr attention_schedule attention = Arch::attention;
  constexpr depthwise_schedule depthwise = depthwise_schedule_for(5, 5, 1, 1, 1, Arch::depthwise_tile);
  return fits_registers<product, Arch> && fits_l1<product, Arch> && fits_l2<product, Arch> &&
         hides_latency<product, Arch> && fits_registers<convolution, Arch> &&
         attention_fits_registers<attention, Arch> && attention_tiles_whole<attention, Arch::width_f32> &&
         depthwise_fits_registers<depthwise, Arch>;
}

}  // namespace tkl
