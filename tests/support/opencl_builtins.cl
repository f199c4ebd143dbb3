// SPDX-License-Identifier: Apache-2.0
// The functions of OpenCL C that the kernels of the tests in half precision call, for texts that clang compiles for the host
// (support/opencl_native.hpp). Numbers of half precision round after each operation, to nearest.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OVERLOAD __attribute__((overloadable))

// The host's, in support/opencl_native.c.
float host_fmaf(float a, float b, float c);
float host_floorf(float a);
float host_rintf(float a);
float host_expf(float a);
float host_expm1f(float a);
float host_logf(float a);
float host_log1pf(float a);
float host_tanhf(float a);
float host_erff(float a);
float host_sqrtf(float a);
float host_powf(float a, float b);

float OVERLOAD fma(float a, float b, float c) { return host_fmaf(a, b, c); }
float OVERLOAD mad(float a, float b, float c) { return host_fmaf(a, b, c); }
half OVERLOAD fma(half a, half b, half c) { return (half)host_fmaf(a, b, c); }
half OVERLOAD mad(half a, half b, half c) { return (half)host_fmaf(a, b, c); }
float OVERLOAD exp(float a) { return host_expf(a); }
float OVERLOAD expm1(float a) { return host_expm1f(a); }
float OVERLOAD log(float a) { return host_logf(a); }
float OVERLOAD log1p(float a) { return host_log1pf(a); }
float OVERLOAD tanh(float a) { return host_tanhf(a); }
float OVERLOAD erf(float a) { return host_erff(a); }
float OVERLOAD sqrt(float a) { return host_sqrtf(a); }
float OVERLOAD pow(float a, float b) { return host_powf(a, b); }
float OVERLOAD floor(float a) { return host_floorf(a); }
float OVERLOAD rint(float a) { return host_rintf(a); }
half OVERLOAD floor(half a) { return (half)host_floorf(a); }
half OVERLOAD rint(half a) { return (half)host_rintf(a); }
float OVERLOAD fabs(float a) { return a < 0 ? -a : a; }
half OVERLOAD fabs(half a) { return a < 0 ? -a : a; }
float OVERLOAD fmax(float a, float b) { return a != a ? b : b != b ? a : a > b ? a : b; }
half OVERLOAD fmax(half a, half b) { return a != a ? b : b != b ? a : a > b ? a : b; }
float OVERLOAD fmin(float a, float b) { return a != a ? b : b != b ? a : a < b ? a : b; }
half OVERLOAD fmin(half a, half b) { return a != a ? b : b != b ? a : a < b ? a : b; }

#define EACH1(T, F) \
  T##4 OVERLOAD F(T##4 a) { return (T##4)(F(a.x), F(a.y), F(a.z), F(a.w)); }
#define EACH2(T, F) \
  T##4 OVERLOAD F(T##4 a, T##4 b) { return (T##4)(F(a.x, b.x), F(a.y, b.y), F(a.z, b.z), F(a.w, b.w)); }
#define EACH3(T, F)                             \
  T##4 OVERLOAD F(T##4 a, T##4 b, T##4 c) {     \
    return (T##4)(F(a.x, b.x, c.x), F(a.y, b.y, c.y), F(a.z, b.z, c.z), F(a.w, b.w, c.w)); \
  }
#define HALVES1(F) \
  half8 OVERLOAD F(half8 a) { return (half8)(F(a.lo), F(a.hi)); }
#define HALVES2(F) \
  half8 OVERLOAD F(half8 a, half8 b) { return (half8)(F(a.lo, b.lo), F(a.hi, b.hi)); }
#define HALVES3(F) \
  half8 OVERLOAD F(half8 a, half8 b, half8 c) { return (half8)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); }
#define VECTORS(T) \
  EACH3(T, fma) EACH3(T, mad) EACH1(T, floor) EACH1(T, rint) EACH1(T, fabs) EACH2(T, fmax) EACH2(T, fmin)
VECTORS(float)
VECTORS(half)
HALVES3(fma) HALVES3(mad) HALVES1(floor) HALVES1(rint) HALVES1(fabs) HALVES2(fmax) HALVES2(fmin)
EACH1(float, exp) EACH1(float, expm1) EACH1(float, log) EACH1(float, log1p) EACH1(float, tanh) EACH1(float, erf)
EACH1(float, sqrt) EACH2(float, pow)

int OVERLOAD isnan(float a) { return a != a; }
int4 OVERLOAD isnan(float4 a) { return a != a; }
short4 OVERLOAD isnan(half4 a) { return a != a; }
short8 OVERLOAD isnan(half8 a) { return a != a; }
float OVERLOAD select(float a, float b, int c) { return c != 0 ? b : a; }
uint OVERLOAD select(uint a, uint b, uint c) { return c != 0 ? b : a; }
#define CHOICE(l) c.l < 0 ? b.l : a.l
float4 OVERLOAD select(float4 a, float4 b, int4 c) { return (float4)(CHOICE(x), CHOICE(y), CHOICE(z), CHOICE(w)); }
half4 OVERLOAD select(half4 a, half4 b, short4 c) { return (half4)(CHOICE(x), CHOICE(y), CHOICE(z), CHOICE(w)); }
half8 OVERLOAD select(half8 a, half8 b, short8 c) {
  return (half8)(select(a.lo, b.lo, c.lo), select(a.hi, b.hi, c.hi));
}
#define BIT_CHOICE(l) (int)c.l < 0 ? b.l : a.l
uint4 OVERLOAD select(uint4 a, uint4 b, uint4 c) {
  return (uint4)(BIT_CHOICE(x), BIT_CHOICE(y), BIT_CHOICE(z), BIT_CHOICE(w));
}
int OVERLOAD min(int a, int b) { return a < b ? a : b; }
int OVERLOAD max(int a, int b) { return a > b ? a : b; }

float OVERLOAD convert_float(uchar a) { return (float)a; }
float OVERLOAD convert_float(int a) { return (float)a; }
float4 OVERLOAD convert_float4(uchar4 a) { return __builtin_convertvector(a, float4); }
float4 OVERLOAD convert_float4(int4 a) { return __builtin_convertvector(a, float4); }
uint4 OVERLOAD convert_uint4(ushort4 a) { return __builtin_convertvector(a, uint4); }
ushort4 OVERLOAD convert_ushort4(uint4 a) { return __builtin_convertvector(a, ushort4); }
float4 OVERLOAD convert_float4(half4 a) { return __builtin_convertvector(a, float4); }
half4 OVERLOAD convert_half4(float4 a) { return __builtin_convertvector(a, half4); }
half8 OVERLOAD convert_half8(float8 a) { return __builtin_convertvector(a, half8); }
#define MEMORY(T)                                                                                                \
  T##4 OVERLOAD vload4(size_t i, const __global T *p) { return (T##4)(p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]); } \
  void OVERLOAD vstore4(T##4 v, size_t i, __global T *p) {                                                       \
    p += 4 * i, p[0] = v.x, p[1] = v.y, p[2] = v.z, p[3] = v.w;                                                  \
  }
MEMORY(float)
MEMORY(half)
MEMORY(ushort)
MEMORY(uchar)
MEMORY(int)
float8 OVERLOAD vload8(size_t i, const __global float *p) { return (float8)(vload4(2 * i, p), vload4(2 * i + 1, p)); }
half8 OVERLOAD vload8(size_t i, const __global half *p) { return (half8)(vload4(2 * i, p), vload4(2 * i + 1, p)); }
void OVERLOAD vstore8(half8 v, size_t i, __global half *p) { vstore4(v.lo, 2 * i, p), vstore4(v.hi, 2 * i + 1, p); }
float OVERLOAD vload_half(size_t i, const __global half *p) { return (float)p[i]; }
float4 OVERLOAD vload_half4(size_t i, const __global half *p) { return convert_float4(vload4(i, p)); }
void OVERLOAD vstore_half_rte(float v, size_t i, __global half *p) { p[i] = (half)v; }
void OVERLOAD vstore_half4_rte(float4 v, size_t i, __global half *p) { vstore4(convert_half4(v), i, p); }
