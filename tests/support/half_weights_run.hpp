// SPDX-License-Identifier: Apache-2.0
// Packed weights of a plan in f32 with the values that the same plan has with weights of 16 bits, so that the reference
// machine, whose weights are f32, runs with them.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <tkl/exec/narrow_weights.hpp>
#include <tkl/graph/program.hpp>
#include <vector>

namespace tkl_test {

/// `wide` and `narrow`: the tensors of the two plans, which differ in types alone. Replaces what lies in `weights` (the
/// packed weights of `wide`) by the widened numbers of `packed` (those of `narrow`). Gives what is wrong: a number that
/// stays f32 and differs, or a weight that is not the nearest of its type.
inline std::string take_narrow_weights(const tkl::load_view& wide, const tkl::load_view& narrow,
                                       const std::byte* packed, std::vector<std::byte>& weights) {
  std::string error;
  for (int i = 0; i < wide.packed_count; ++i) {
    const tkl::packed_tensor &t = wide.packed[i], &n = narrow.packed[i];
    std::byte* to = weights.data() + t.offset;
    const std::byte* from = packed + n.offset;
    const auto keep = [&](std::int64_t count) {
      if (std::memcmp(to, from, static_cast<std::size_t>(count)) != 0) error = "a number that stays f32 differs";
      to += count, from += count;
    };
    const auto widen = [&](std::int64_t count) {
      for (std::int64_t k = 0; k < count; ++k, to += 4, from += 2) {
        float exact = 0;
        std::uint16_t bits = 0;
        std::memcpy(&exact, to, 4);
        std::memcpy(&bits, from, 2);
        const bool f16 = n.type == tkl::f16;
        const float v = f16 ? tkl::to_float(tkl::half{bits}) : tkl::to_float(tkl::bfloat16{bits});
        const float most = std::fabs(exact) * (f16 ? 0x1p-11f : 0x1p-8f) + (f16 ? 0x1p-25f : 0.0f);
        if (!(std::fabs(v - exact) <= most)) error = "a weight is not rounded to the nearest";
        std::memcpy(to, &v, 4);
      }
    };
    if (n.type == t.type) {
      keep(t.bytes);
    } else if (t.kind == tkl::pack_kind::plain) {
      widen(t.bytes / 4);
    } else {
      tkl::impl::for_each_panel(wide, t, [&](std::int64_t columns, std::int64_t rows) {
        keep(columns * 4);
        widen(columns * rows);
      });
      if (from != packed + n.offset + n.bytes || to != weights.data() + t.offset + t.bytes)
        error = "panels are left out";
    }
  }
  return error;
}

}  // namespace tkl_test
