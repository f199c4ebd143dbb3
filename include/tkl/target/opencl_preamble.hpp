// SPDX-License-Identifier: Apache-2.0
// What every kernel's text begins with: loads, stores and functions as macros, whose arguments are names or sums of
// names, so that evaluating one twice costs nothing.
//
// OpenCL C 1.2 without extensions. Half precision is storage only (vload_half, vstore_half are part of 1.2); bf16 is
// shifted. Stores to integers round half to even and clamp, NaN becomes 0; stores to f16 and bf16 round half to even.
#pragma once

#include <string_view>

namespace tkl {

/// The words F4 and I4 stand for vectors, to keep texts short. FMA is one rounding where the device is fast at it.
inline constexpr std::string_view opencl_preamble = R"(#ifdef FP_FAST_FMAF
#define FMA(a, b, c) fma(a, b, c)
#else
#define FMA(a, b, c) mad(a, b, c)
#endif
typedef float4 F4;
typedef int4 I4;
#define AT_LEAST(a, b) select(a, b, a < b)
#define AT_MOST(a, b) select(a, b, a > b)
#define MAXIMUM(a, b) select(select(fmax(a, b), b, isnan(b)), a, isnan(a))
#define MINIMUM(a, b) select(select(fmin(a, b), b, isnan(b)), a, isnan(a))
#define load1_f32(p, i) (p)[i]
#define load4_f32(p, i) vload4(0, (p) + (i))
#define store1_f32(v, p, i) (p)[i] = v
#define store4_f32(v, p, i) vstore4(v, 0, (p) + (i))
#define load1_f16(p, i) vload_half(0, (p) + (i))
#define load4_f16(p, i) vload_half4(0, (p) + (i))
#define store1_f16(v, p, i) vstore_half_rte(v, 0, (p) + (i))
#define store4_f16(v, p, i) vstore_half4_rte(v, 0, (p) + (i))
#define load1_bf16(p, i) as_float((uint)(p)[i] << 16)
#define load4_bf16(p, i) as_float4(convert_uint4(vload4(0, (p) + (i))) << 16)
#define BF16(b, n) select((b + 0x7fff + ((b >> 16) & 1)) >> 16, (b >> 16) | 0x40, n)
#define store1_bf16(v, p, i) (p)[i] = (ushort)BF16(as_uint(v), (uint)isnan(v))
#define store4_bf16(v, p, i) vstore4(convert_ushort4(BF16(as_uint4(v), as_uint4(isnan(v)))), 0, (p) + (i))
#define NO_NAN1(v) select(v, 0.0f, isnan(v))
#define NO_NAN4(v) select(v, (F4)(0.0f), isnan(v))
#define load1_i8(p, i) convert_float((p)[i])
#define load4_i8(p, i) convert_float4(vload4(0, (p) + (i)))
#define store1_i8(v, p, i) (p)[i] = convert_char_sat_rte(NO_NAN1(v))
#define store4_i8(v, p, i) vstore4(convert_char4_sat_rte(NO_NAN4(v)), 0, (p) + (i))
#define load1_u8(p, i) convert_float((p)[i])
#define load4_u8(p, i) convert_float4(vload4(0, (p) + (i)))
#define store1_u8(v, p, i) (p)[i] = convert_uchar_sat_rte(NO_NAN1(v))
#define store4_u8(v, p, i) vstore4(convert_uchar4_sat_rte(NO_NAN4(v)), 0, (p) + (i))
#define load1_i32(p, i) convert_float((p)[i])
#define load4_i32(p, i) convert_float4(vload4(0, (p) + (i)))
#define store1_i32(v, p, i) (p)[i] = convert_int_sat_rte(NO_NAN1(v))
#define store4_i32(v, p, i) vstore4(convert_int4_sat_rte(NO_NAN4(v)), 0, (p) + (i))
#define INDEX(axis, n, h, w, c) ((axis) == 0 ? (n) : (axis) == 1 ? (h) : (axis) == 2 ? (w) : (c))
)";

/// What follows in texts that compute in half precision, the extension enabled before all. Such values are vectors of
/// four or eight; a text may take single ones out of them and put them back.
inline constexpr std::string_view opencl_half_extension = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
inline constexpr std::string_view opencl_half_preamble = R"(#ifdef FP_FAST_FMA_HALF
#define HFMA(a, b, c) fma(a, b, c)
#else
#define HFMA(a, b, c) mad(a, b, c)
#endif
typedef half4 H4;
typedef half8 H8;
#define load1_half(p, i) (p)[i]
#define load4_half(p, i) vload4(0, (p) + (i))
#define store1_half(v, p, i) (p)[i] = v
#define store4_half(v, p, i) vstore4(v, 0, (p) + (i))
#define load8_half(p, i) vload8(0, (p) + (i))
#define load8_f32(p, i) vload8(0, (p) + (i))
#define store8_half(v, p, i) vstore8(v, 0, (p) + (i))
)";

}  // namespace tkl
