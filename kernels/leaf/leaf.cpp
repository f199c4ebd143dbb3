// SPDX-License-Identifier: Apache-2.0
// The loops of tkl/leaf.hpp over Highway's vectors. Highway includes this file again for each of its targets; the last
// part, below HWY_ONCE, is compiled once and chooses among them.
//
//   for i in 0 ... n by the lanes of a vector: step(vector, i)
//   for the rest one by one: the same step with vectors of one lane
//
// The conversions are integer arithmetic: those of Highway 1.0.3 truncate f16 without F16C, and bf16 always.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leaf/leaf.cpp"
#include <hwy/foreach_target.h>
// Highway wants its header after the one above.
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/core/element.hpp>
#include <tkl/leaf.hpp>

HWY_BEFORE_NAMESPACE();
namespace tkl::leaf {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using lanes = hn::ScalableTag<float>;
using one_lane = hn::CappedTag<float, 1>;
using doubled = hn::ScalableTag<std::int16_t>;

/// Calls step(tag, i) for all of [0, n): whole vectors, then one by one.
template <class Step>
HWY_INLINE void for_all(std::int64_t n, const Step& step) {
  const lanes d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + width <= n; i += width) step(d, i);
  for (; i < n; ++i) step(one_lane(), i);
}

template <class D>
using words = hn::RebindToUnsigned<D>;
template <class D>
using integers = hn::RebindToSigned<D>;

/// 16-bit patterns as words.
template <class D>
HWY_INLINE hn::Vec<words<D>> load_halves(D, const std::uint16_t* p) {
  return hn::PromoteTo(words<D>(), hn::LoadU(hn::Rebind<std::uint16_t, D>(), p));
}
/// Words below 2^16 as 16-bit patterns.
template <class D>
HWY_INLINE void store_halves(D, hn::Vec<words<D>> v, std::uint16_t* p) {
  const hn::Rebind<std::uint16_t, D> d16;
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(integers<D>(), v)), d16, p);
}

/// a < b for words below 2^31.
template <class D, class V>
HWY_INLINE hn::Mask<words<D>> below(D, V a, V b) {
  const integers<D> di;
  return hn::RebindMask(words<D>(), hn::Lt(hn::BitCast(di, a), hn::BitCast(di, b)));
}

void widen_f16(const std::uint16_t* from, float* to, std::int64_t n) {
  for_all(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const words<decltype(d)> du;
    const auto h = load_halves(d, from + i);
    const auto magnitude = hn::ShiftLeft<13>(hn::And(h, hn::Set(du, 0x7fffu)));
    // The exponent's bias is 15 there and 127 here; the product is exact, and makes subnormals normal.
    const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
    const auto finite = below(d, magnitude, hn::Set(du, 0x7c00u << 13));
    const auto special = hn::Or(magnitude, hn::Set(du, 0x7f800000u));
    const auto sign = hn::ShiftLeft<16>(hn::And(h, hn::Set(du, 0x8000u)));
    hn::StoreU(hn::BitCast(d, hn::Or(hn::IfThenElse(finite, scaled, special), sign)), d, to + i);
  });
}

void narrow_f16(const float* from, std::uint16_t* to, std::int64_t n) {
  for_all(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const words<decltype(d)> du;
    const auto bits = hn::BitCast(du, hn::LoadU(d, from + i));
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
    // Half a unit less one, and one more where the kept part is odd: ties go to even. Carries move into the exponent.
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1));
    const auto rounded = hn::Add(hn::Add(magnitude, hn::Set(du, 0xfffu)), odd);
    const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(du, 112u << 23)));
    // The unit of 0.5 is that of f16's subnormals: the sum rounds as they do.
    const auto half_one = hn::Set(d, 0.5f);
    const auto subnormal =
        hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), half_one)), hn::BitCast(du, half_one));
    const auto finite = hn::IfThenElse(below(d, magnitude, hn::Set(du, 113u << 23)), subnormal, normal);
    const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x3ffu));
    const auto not_a_number = hn::Or(payload, hn::Set(du, 0x7e00u));
    const auto number = hn::IfThenElse(below(d, magnitude, hn::Set(du, 0x47800000u)), finite, hn::Set(du, 0x7c00u));
    const auto result = hn::IfThenElse(below(d, hn::Set(du, 0x7f800000u), magnitude), not_a_number, number);
    store_halves(d, hn::Or(result, hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u))), to + i);
  });
}

void widen_bf16(const std::uint16_t* from, float* to, std::int64_t n) {
  for_all(n, [&](auto d, std::int64_t i)
                 HWY_ATTR { hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(load_halves(d, from + i))), d, to + i); });
}

void narrow_bf16(const float* from, std::uint16_t* to, std::int64_t n) {
  for_all(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const words<decltype(d)> du;
    const auto bits = hn::BitCast(du, hn::LoadU(d, from + i));
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto number = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7fffu)), odd));
    const auto not_a_number = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x40u));
    store_halves(d, hn::IfThenElse(below(d, hn::Set(du, 0x7f800000u), magnitude), not_a_number, number), to + i);
  });
}

template <class T>
HWY_INLINE void dequantise_all(const T* from, float* to, std::int64_t n, float scale, std::int32_t zero_point) {
  for_all(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const integers<decltype(d)> di;
    const auto x = hn::PromoteTo(di, hn::LoadU(hn::Rebind<T, decltype(d)>(), from + i));
    const auto difference = hn::ConvertTo(d, hn::Sub(x, hn::Set(di, zero_point)));
    hn::StoreU(hn::Mul(difference, hn::Set(d, scale)), d, to + i);
  });
}
void dequantise_u8(const std::uint8_t* from, float* to, std::int64_t n, float scale, std::int32_t zero_point) {
  dequantise_all(from, to, n, scale, zero_point);
}
void dequantise_i8(const std::int8_t* from, float* to, std::int64_t n, float scale, std::int32_t zero_point) {
  dequantise_all(from, to, n, scale, zero_point);
}

std::int64_t dot_i8(const std::int8_t* a, const std::int8_t* b, std::int64_t n) {
  const doubled d16;
  const hn::Repartition<std::int32_t, doubled> d32;
  const hn::Rebind<std::int8_t, doubled> d8;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d16));
  // A product is at most 2^14 in magnitude and a lane gets at most 2^16 of them: below 2^31.
  constexpr std::int64_t block = 1 << 15;
  std::int64_t total = 0, i = 0;
  while (i + width <= n) {
    const std::int64_t end = (std::min)(n, i + block);
    auto low = hn::Zero(d32), high = hn::Zero(d32);
    for (; i + width <= end; i += width) {
      const auto x = hn::PromoteTo(d16, hn::LoadU(d8, a + i)), y = hn::PromoteTo(d16, hn::LoadU(d8, b + i));
      low = hn::ReorderWidenMulAccumulate(d32, x, y, low, high);
    }
    HWY_ALIGN std::int32_t parts[2 * hn::MaxLanes(d32)];
    hn::Store(low, d32, parts);
    hn::Store(high, d32, parts + hn::Lanes(d32));
    for (std::size_t k = 0; k < 2 * hn::Lanes(d32); ++k) total += parts[k];
  }
  for (; i < n; ++i) total += std::int64_t{a[i]} * b[i];
  return total;
}

/// Adds term(tag, i) over [0, n); four sums, so that additions do not wait for each other.
template <class Term>
HWY_INLINE float sum_of(std::int64_t n, const Term& term) {
  const lanes d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::int64_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    s0 = term(d, i, s0);
    s1 = term(d, i + width, s1);
    s2 = term(d, i + 2 * width, s2);
    s3 = term(d, i + 3 * width, s3);
  }
  for (; i + width <= n; i += width) s0 = term(d, i, s0);
  auto rest = hn::Zero(one_lane());
  for (; i < n; ++i) rest = term(one_lane(), i, rest);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))) + hn::GetLane(rest);
}

float dot_bf16(const std::uint16_t* a, const std::uint16_t* b, std::int64_t n) {
  return sum_of(n, [&](auto d, std::int64_t i, auto sum) HWY_ATTR {
    const auto x = hn::BitCast(d, hn::ShiftLeft<16>(load_halves(d, a + i)));
    const auto y = hn::BitCast(d, hn::ShiftLeft<16>(load_halves(d, b + i)));
    return hn::MulAdd(x, y, sum);
  });
}
float sum_f32(const float* x, std::int64_t n) {
  return sum_of(n, [&](auto d, std::int64_t i, auto sum) HWY_ATTR { return hn::Add(hn::LoadU(d, x + i), sum); });
}

const char* name_of_target() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace tkl::leaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tkl::leaf {

HWY_EXPORT(widen_f16);
HWY_EXPORT(narrow_f16);
HWY_EXPORT(widen_bf16);
HWY_EXPORT(narrow_bf16);
HWY_EXPORT(dequantise_u8);
HWY_EXPORT(dequantise_i8);
HWY_EXPORT(dot_i8);
HWY_EXPORT(dot_bf16);
HWY_EXPORT(sum_f32);
HWY_EXPORT(name_of_target);

namespace {

// half and bfloat16 are their bits.
template <class T>
const std::uint16_t* bits(const T* p) {
  static_assert(sizeof(T) == 2);
  return p == nullptr ? nullptr : &p->bits;
}
template <class T>
std::uint16_t* bits(T* p) {
  static_assert(sizeof(T) == 2);
  return p == nullptr ? nullptr : &p->bits;
}

}  // namespace

void widen(const half* from, float* to, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(widen_f16)(bits(from), to, n);
}
void widen(const bfloat16* from, float* to, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(widen_bf16)(bits(from), to, n);
}
void narrow(const float* from, half* to, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(narrow_f16)(from, bits(to), n);
}
void narrow(const float* from, bfloat16* to, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(narrow_bf16)(from, bits(to), n);
}
void dequantise(const std::uint8_t* from, float* to, std::int64_t n, float scale, std::int32_t zero_point) {
  HWY_DYNAMIC_DISPATCH(dequantise_u8)(from, to, n, scale, zero_point);
}
void dequantise(const std::int8_t* from, float* to, std::int64_t n, float scale, std::int32_t zero_point) {
  HWY_DYNAMIC_DISPATCH(dequantise_i8)(from, to, n, scale, zero_point);
}
std::int64_t dot(const std::int8_t* a, const std::int8_t* b, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_i8)(a, b, n);
}
float dot(const bfloat16* a, const bfloat16* b, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_bf16)(bits(a), bits(b), n);
}
float sum(const float* x, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_f32)(x, n);
}
const number_converter& converter() {
  static const std::string name = "Highway " + std::string(target());
  static const number_converter functions{name, &widen, &widen, &narrow, &narrow};
  return functions;
}
std::string_view target() {
  return HWY_DYNAMIC_DISPATCH(name_of_target)();
}

void for_each_target(void (*f)(std::string_view name, bool runs)) {
  const std::int64_t here = hwy::SupportedTargets();
  for (std::int64_t rest = HWY_TARGETS; rest != 0; rest &= rest - 1) {
    const std::int64_t one = rest & -rest;
    const bool runs = (here & one) != 0;
    if (runs) {
      hwy::SetSupportedTargetsForTest(one);
      hwy::GetChosenTarget().Update(one);
    }
    f(hwy::TargetName(one), runs);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace tkl::leaf
#endif
