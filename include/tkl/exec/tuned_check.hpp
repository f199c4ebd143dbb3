// SPDX-License-Identifier: Apache-2.0
// Whether tuned records may replace the defaults of an architecture: of this version, for this device, with schedules
// that the concepts admit, one for each kind of step. tools/tune.py lists its candidates by the same concepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/algo/contraction.hpp>
#include <tkl/config.hpp>
#include <tkl/core/text.hpp>
#include <tkl/graph/tuned_record.hpp>
#include <utility>

namespace tkl {

/// The sums of a block of rows, which lie on the stack, take at most 32 KiB.
template <gemm_schedule S, class Arch>
concept fits_stack = positive_tile<S> && block_rows(S, 1)
*(S.nr + 1) * Arch::width_f32 * 4 <= 32 * 1024;

/// The concept that a schedule does not satisfy, empty when Arch admits it. A convolution's must have the panels of
/// Arch, because all steps and all shapes of a model share their packed weights.
template <class Arch, gemm_schedule S>
constexpr std::string_view refusal_of() {
  if (!positive_tile<S>) return "positive_tile<S>";
  if (!fits_registers<S, Arch>) return "fits_registers<S, Arch>";
  if (!fits_l1<S, Arch>) return "fits_l1<S, Arch>";
  if (!fits_l2<S, Arch>) return "fits_l2<S, Arch>";
  if (!fits_stack<S, Arch>) return "fits_stack<S, Arch>";
  return {};
}
template <class Arch, conv_schedule S>
constexpr std::string_view refusal_of() {
  if (S.nr != Arch::conv.nr) return "S.nr == Arch::conv.nr (the width of packed panels)";
  if (S.band < 1) return "S.band >= 1";
  return refusal_of<Arch, S.gemm()>();
}
template <class Arch, attention_schedule S>
constexpr std::string_view refusal_of() {
  if (!attention_tiles_whole<S, Arch::width_f32>) return "attention_tiles_whole<S, Arch::width_f32>";
  if (!attention_fits_registers<S, Arch>) return "attention_fits_registers<S, Arch>";
  return {};
}
template <class Arch, depthwise_schedule S>
constexpr std::string_view refusal_of() {
  if (!valid_depthwise_schedule<S>) return "valid_depthwise_schedule<S>";
  if (!depthwise_fits_registers<S, Arch>) return "depthwise_fits_registers<S, Arch>";
  return {};
}

/// The largest filter that the code of a depthwise step with that many taps, rounded down, may be specialised on.
constexpr depthwise_schedule with_filter_of(depthwise_schedule s, std::int64_t taps) {
  s.rows = s.columns = taps == 8 ? 3 : taps == 16 ? 5 : 0;
  s.stride = s.columns == 0 ? 0 : 1;
  return s;
}

namespace detail {

template <class Arch, const auto& Records, std::size_t Index>
constexpr std::string_view refusal_of_record() {
  constexpr const tuned_record& r = Records[Index];
  constexpr schedule_kind kind = schedule_kind_of(r.kind.algorithm);
  if constexpr (kind == schedule_kind::conv) {
    return refusal_of<Arch, r.conv>();
  } else if constexpr (kind == schedule_kind::gemm) {
    return refusal_of<Arch, r.gemm>();
  } else if constexpr (kind == schedule_kind::depthwise) {
    return refusal_of<Arch, with_filter_of(r.depthwise, r.kind.shape.depth)>();
  } else if constexpr (kind == schedule_kind::attention) {
    return refusal_of<Arch, r.attention>();
  } else {
    return "an algorithm with a schedule";
  }
}

/// What two devices differ in: "16 registers, the target's has 32"; empty when they are the same.
constexpr text<160> difference(const tuned_device& record, const tuned_device& target) {
  text<160> t;
  const auto differs = [&](std::string_view what, std::int64_t a, std::int64_t b) {
    if (t.empty() && a != b) t << target.name << " with " << a << what << ", the target's has " << b;
  };
  if (record.name != target.name) t << record.name << ", the target is " << target.name;
  differs(" vector registers", record.registers, target.registers);
  differs(" lanes", record.width_f32, target.width_f32);
  differs(" bytes of first-level cache", record.cache.l1, target.cache.l1);
  differs(" bytes of second-level cache", record.cache.l2, target.cache.l2);
  differs(" bytes of third-level cache", record.cache.l3, target.cache.l3);
  return t;
}

/// The first mistake in records for Arch; empty when there is none.
template <class Arch, const auto& Records>
constexpr text<240> mistake_of_records() {
  constexpr std::size_t count = Records.size();
  constexpr auto refusals = []<std::size_t... Index>(std::index_sequence<Index...>) {
    struct {
      std::string_view of[count + 1];
    } all{{refusal_of_record<Arch, Records, Index>()..., {}}};
    return all;
  }
  (std::make_index_sequence<count>{});
  text<240> m;
  if (count > 255) return m << count << " tuned records, a target takes 255";
  for (std::size_t i = 0; i < count; ++i) {
    const tuned_record& r = Records[i];
    m << "tuned record " << i << " (" << r.kind << "): ";
    if (r.version != tuning_version)
      return m << "of version " << r.version << ", this is version " << tuning_version << ": tune again";
    if (const text<160> other = difference(r.device, device_of<Arch>()); !other.empty())
      return m << "measured on " << other.view();
    if (!refusals.of[i].empty()) return m << schedule_text(r).view() << ": fails " << refusals.of[i];
    for (std::size_t k = 0; k < i; ++k)
      if (Records[k].kind == r.kind) return m << "record " << k << " is for the same steps";
    m = {};
  }
  return m;
}

}  // namespace detail
}  // namespace tkl
