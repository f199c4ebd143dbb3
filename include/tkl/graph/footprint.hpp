// SPDX-License-Identifier: Apache-2.0
// The set of bytes that an edge covers, exactly: runs of bytes at up to four strides. Two parts of one concatenation
// lie within each other's bounds and share nothing; telling them from a real overlap needs more than first and last
// byte.
#pragma once

#include <cstdint>
#include <tkl/core/checked.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {

/// Bytes base + i0 stride[0] + i1 stride[1] + ... + [0, run) for all i below count. Strides fall, each at least as
/// large as all that lies inside it.
struct footprint {
  std::int64_t base = 0;
  std::int64_t run = 0;  // 0: no bytes
  std::int64_t count[plan_rank]{};
  std::int64_t stride[plan_rank]{};
  int levels = 0;
  bool valid = true;     // false: an extent is negative or a size leaves 64 bits
  bool distinct = true;  // false: two elements share a byte (stride 0, overlapping rows)

  constexpr bool empty() const { return run == 0; }
  constexpr std::int64_t bytes() const {
    std::int64_t n = run;
    for (int i = 0; i < levels; ++i) n *= count[i];
    return n;
  }
  /// One past the last byte.
  constexpr std::int64_t end() const {
    std::int64_t e = base + run;
    for (int i = 0; i < levels; ++i) e += (count[i] - 1) * stride[i];
    return e;
  }
};

/// Bytes of an edge, from the start of its space. Axes are sorted by stride and merged where they follow each other.
constexpr footprint footprint_of(const edge& e) {
  footprint f;
  const auto size = static_cast<std::int64_t>(size_of(e.type));
  std::int64_t count[plan_rank]{}, stride[plan_rank]{};
  int axes = 0;
  checked base = e.offset, last = 0;
  bool none = false;
  for (int i = 0; i < plan_rank; ++i) {
    const std::int64_t n = e.extent[i];
    if (n < 0) {
      f.valid = false;
      return f;
    }
    if (n == 0) none = true;
    if (n <= 1) continue;
    std::int64_t s = e.stride[i] * size;
    if (s == 0) {
      f.distinct = false;
      continue;
    }
    if (s < 0) base = base + checked(n - 1) * s, s = -s;
    last = last + checked(n - 1) * s;
    int place = axes++;
    for (; place > 0 && stride[place - 1] < s; --place) {
      stride[place] = stride[place - 1];
      count[place] = count[place - 1];
    }
    stride[place] = s;
    count[place] = n;
  }
  const checked end = base + last + size;
  if (!end.valid) {
    f.valid = false;
    return f;
  }
  f.base = base.value;
  if (none) {
    f.distinct = true;
    return f;
  }
  f.run = size;
  // From the innermost axis outwards: grow the run, merge into the level inside, or open a level.
  std::int64_t inner_count[plan_rank]{}, inner_stride[plan_rank]{};
  int levels = 0;
  std::int64_t span = size;  // of all that lies inside
  for (int i = axes - 1; i >= 0; --i) {
    if (stride[i] < span) f.distinct = false;
    if (levels == 0 && stride[i] <= f.run) {
      f.run += (count[i] - 1) * stride[i];
    } else if (stride[i] < span) {  // interleaved rows: take all between the first and the last byte
      f.run = span + (count[i] - 1) * stride[i];
      levels = 0;
    } else if (levels > 0 && stride[i] == inner_stride[levels - 1] * inner_count[levels - 1]) {
      inner_count[levels - 1] *= count[i];
    } else {
      inner_count[levels] = count[i];
      inner_stride[levels++] = stride[i];
    }
    span += (count[i] - 1) * stride[i];
  }
  f.levels = levels;
  for (int i = 0; i < levels; ++i) {
    f.count[i] = inner_count[levels - 1 - i];
    f.stride[i] = inner_stride[levels - 1 - i];
  }
  return f;
}

namespace detail {

/// Number of bytes of f from level `level` inwards, placed at 0, that lie below `limit`.
constexpr std::int64_t bytes_below(const footprint& f, int level, std::int64_t limit) {
  std::int64_t inside = f.run;
  for (int i = level; i < f.levels; ++i) inside *= f.count[i];
  std::int64_t n = 0;
  for (int i = level; i < f.levels && limit > 0; ++i) {
    inside /= f.count[i];
    std::int64_t whole = limit / f.stride[i];
    if (whole > f.count[i] - 1) whole = f.count[i] - 1;
    n += whole * inside;
    limit -= whole * f.stride[i];
  }
  return limit <= 0 ? n : n + (limit < f.run ? limit : f.run);
}

constexpr std::int64_t span_of(const footprint& f, int level) {
  std::int64_t e = f.run;
  for (int i = level; i < f.levels; ++i) e += (f.count[i] - 1) * f.stride[i];
  return e;
}

/// Bytes that a from level la inwards, placed at 0, shares with b from level lb inwards, placed at `shift`.
constexpr std::int64_t shared_bytes(const footprint& a, int la, const footprint& b, int lb, std::int64_t shift) {
  const std::int64_t span_a = span_of(a, la), span_b = span_of(b, lb);
  if (shift >= span_a || -shift >= span_b) return 0;
  if (la == a.levels) return bytes_below(b, lb, a.run - shift) - bytes_below(b, lb, -shift);
  if (lb == b.levels) return bytes_below(a, la, shift + b.run) - bytes_below(a, la, shift);
  const std::int64_t sa = a.stride[la], sb = b.stride[lb];
  if (sa < sb) return shared_bytes(b, lb, a, la, -shift);
  std::int64_t sum = 0;
  if (sa == sb) {
    // Rows i of a and i + d of b meet only where shift + d stride is small: at most three values of d.
    const std::int64_t nearest = -(shift >= 0 ? shift / sa : -((-shift + sa - 1) / sa));
    for (std::int64_t d = nearest - 1; d <= nearest + 1; ++d) {
      const std::int64_t from = d < 0 ? -d : 0;
      const std::int64_t to = a.count[la] < b.count[lb] - d ? a.count[la] : b.count[lb] - d;
      if (to > from) sum += (to - from) * shared_bytes(a, la + 1, b, lb + 1, shift + d * sb);
    }
    return sum;
  }
  for (std::int64_t i = 0; i < a.count[la]; ++i) sum += shared_bytes(a, la + 1, b, lb, shift - i * sa);
  return sum;
}

}  // namespace detail

/// Number of bytes that both cover.
constexpr std::int64_t shared_bytes(const footprint& a, const footprint& b) {
  if (a.empty() || b.empty() || a.base >= b.end() || b.base >= a.end()) return 0;
  return detail::shared_bytes(a, 0, b, 0, b.base - a.base);
}

}  // namespace tkl
