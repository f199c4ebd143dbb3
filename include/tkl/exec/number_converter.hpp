// SPDX-License-Identifier: Apache-2.0
// Who converts runs of numbers between f32 and types of 16 bits while weights are loaded: the loops of this header, or
// a function object of the caller's (load_options::converter), such as tkl::leaf::converter(), whose loops are vectors
// of the best instruction set of the processor whatever this unit was compiled for.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>

namespace tkl {

/// Functions that convert n numbers, which may be called by several threads at a time. Pointers are aligned as their
/// elements are, ranges do not overlap. Results have the bits of to_float, to_half and to_bfloat16.
struct number_converter {
  std::string_view name{};  // see packed_weights::converter
  void (*widen_f16)(const half* from, float* to, std::int64_t n) = nullptr;
  void (*widen_bf16)(const bfloat16* from, float* to, std::int64_t n) = nullptr;
  void (*narrow_f16)(const float* from, half* to, std::int64_t n) = nullptr;
  void (*narrow_bf16)(const float* from, bfloat16* to, std::int64_t n) = nullptr;

  TKL_TAGGED void operator()(const half* from, float* to, std::int64_t n) const { widen_f16(from, to, n); }
  TKL_TAGGED void operator()(const bfloat16* from, float* to, std::int64_t n) const { widen_bf16(from, to, n); }
  TKL_TAGGED void operator()(const float* from, half* to, std::int64_t n) const { narrow_f16(from, to, n); }
  TKL_TAGGED void operator()(const float* from, bfloat16* to, std::int64_t n) const { narrow_bf16(from, to, n); }
};

TKL_ISA_BEGIN
namespace impl {

template <class T>
TKL_COLD void widen_run(const T* from, float* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = to_float(from[i]);
}
TKL_COLD inline void narrow_run(const float* from, half* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = to_half(from[i]);
}
TKL_COLD inline void narrow_run(const float* from, bfloat16* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = to_bfloat16(from[i]);
}

/// The loops above.
inline constexpr number_converter plain_converter{"tkl", &widen_run<half>, &widen_run<bfloat16>, &narrow_run,
                                                  &narrow_run};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
