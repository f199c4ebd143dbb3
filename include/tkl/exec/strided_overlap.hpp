// SPDX-License-Identifier: Apache-2.0
// Whether strided elements share an address: those of one tensor among themselves, or those of two.
//
// An address is a sum of step times index, so two elements meet where a sum of steps times bounded numbers has a given
// value. The search tries the numbers of the largest step first and cuts what the other steps cannot reach, by range
// and by greatest common divisor. It is exact; in layouts that nest, as real ones do, it looks at one or two numbers
// per axis. One that would take too long counts as meeting: refusing is safe.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/layout.hpp>
#include <tkl/core/shape.hpp>

namespace tkl::detail {

/// How far the lowest and the highest element lie from the one with index 0, in elements; there is at least one.
struct element_reach {
  std::int64_t low = 0, high = 0;
  bool valid = true;  // false: they are further apart than 64 bits say
};
TKL_TAGGED constexpr element_reach reach_of(const shape& extents, const axis_steps& steps) {
  checked low = 0, high = 0;
  for (int i = 0; i < extents.rank; ++i) {
    const checked reach = checked(extents[i] - 1) * steps[i];
    checked& end = reach.valid && reach.value < 0 ? low : high;
    end = end + reach;
  }
  return {low.value, high.value, (high - low).valid};
}

/// A sum of steps times numbers, each from 0 to its `most`; steps are positive.
struct step_sum {
  static constexpr int room = 2 * max_rank + 1;
  std::int64_t step[room]{}, most[room]{}, reach[room + 1]{}, divisor[room + 1]{};
  int count = 0;
  int patience = 1 << 14;  // numbers that may be tried

  /// Adds a step; equal steps become one.
  TKL_TAGGED constexpr void add(std::int64_t by, std::int64_t times) {
    int at = 0;
    while (at < count && step[at] > by) ++at;
    if (at < count && step[at] == by) {
      most[at] += times;
      return;
    }
    for (int i = count++; i > at; --i) step[i] = step[i - 1], most[i] = most[i - 1];
    step[at] = by, most[at] = times;
  }
  /// Whether the sum can be `value`. The caller has checked that the largest sum fits 64 bits.
  TKL_TAGGED constexpr bool can_be(std::int64_t value) {
    reach[count] = divisor[count] = 0;
    for (int i = count - 1; i >= 0; --i) {
      reach[i] = reach[i + 1] + step[i] * most[i];
      divisor[i] = common_divisor(divisor[i + 1], step[i]);
    }
    return can_be_from(0, value);
  }

 private:
  TKL_TAGGED constexpr bool can_be_from(int first, std::int64_t rest) {
    if (rest < 0 || rest > reach[first]) return false;
    if (first == count) return true;
    if (rest % divisor[first] != 0) return false;
    const std::int64_t beyond = rest - reach[first + 1];
    const std::int64_t least = beyond <= 0 ? 0 : (beyond - 1) / step[first] + 1;
    for (std::int64_t n = least; n <= most[first] && n <= rest / step[first]; ++n)
      if (--patience < 0 || can_be_from(first + 1, rest - n * step[first])) return true;
    return false;
  }
};

/// Whether two elements of a tensor lie at the same address. Its reach is valid.
TKL_TAGGED constexpr bool meets_itself(const shape& extents, const axis_steps& steps) {
  std::int64_t step[max_rank]{}, most[max_rank]{};  // by falling step
  int count = 0;
  for (int i = 0; i < extents.rank; ++i) {
    if (extents[i] == 1) continue;
    const std::int64_t by = steps[i] < 0 ? -steps[i] : steps[i];
    int at = count++;
    for (; at > 0 && step[at - 1] < by; --at) step[at] = step[at - 1], most[at] = most[at - 1];
    step[at] = by, most[at] = extents[i] - 1;
  }
  checked inner = 0;  // what the smaller steps reach together
  bool nested = true;
  for (int i = count - 1; i >= 0; --i) {
    nested = nested && step[i] > inner.value;
    inner = inner + checked(step[i]) * most[i];
  }
  if (nested) return false;
  if (step[count - 1] == 0) return true;
  if (!(inner * 2).valid) return true;
  // Two indices differ first at some axis, there by 1 or more, and by anything at those of smaller steps.
  for (int first = 0; first < count; ++first) {
    step_sum sum;
    sum.add(step[first], most[first] - 1);
    std::int64_t value = -step[first];
    for (int i = first + 1; i < count; ++i) {
      sum.add(step[i], 2 * most[i]);
      value += step[i] * most[i];
    }
    if (sum.can_be(value)) return true;
  }
  return false;
}

/// One of two tensors in the same memory: where its first element lies in bytes, and the rest of it.
struct strided_elements {
  std::int64_t begin = 0;
  std::int64_t element_bytes = 1;
  shape extents{};
  axis_steps steps{};
};

/// Whether an element of `a` shares a byte with one of `b`. Both have elements, and their ranges fit 64 bits.
TKL_TAGGED constexpr bool share_bytes(const strided_elements& a, const strided_elements& b) {
  // An element at p meets one at q when q - p lies between -(b's bytes - 1) and a's bytes - 1.
  step_sum sum;
  checked value = checked(b.begin) - a.begin + (b.element_bytes - 1), largest = a.element_bytes + b.element_bytes - 2;
  const bool units = a.element_bytes == b.element_bytes && (b.begin - a.begin) % a.element_bytes == 0;
  const std::int64_t unit = units ? a.element_bytes : 1;  // equal elements lie on each other or apart
  if (units) value = (b.begin - a.begin) / unit, largest = 0;
  if (!units) sum.add(1, largest.value);
  const auto add = [&](const strided_elements& x, bool negative) {
    for (int i = 0; i < x.extents.rank; ++i) {
      if (x.extents[i] == 1 || x.steps[i] == 0) continue;
      const std::int64_t by = x.steps[i] * (x.element_bytes / unit), times = x.extents[i] - 1;
      largest = largest + checked(by < 0 ? -by : by) * times;
      if ((by < 0) != negative) value = value + checked(by < 0 ? -by : by) * times;
      if (largest.valid) sum.add(by < 0 ? -by : by, times);
    }
  };
  add(a, false);
  add(b, true);
  return !largest.valid || !value.valid || sum.can_be(value.value);
}

}  // namespace tkl::detail
