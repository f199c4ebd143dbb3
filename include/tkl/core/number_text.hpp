// SPDX-License-Identifier: Apache-2.0
// Real numbers in messages: ten significant digits at most, no zeros after the last one, as printf's "%.10g" writes
// them. Usable in constant evaluation, where neither printf nor std::to_chars is.
#pragma once

#include <cstdint>
#include <limits>
#include <tkl/config.hpp>
#include <tkl/core/text.hpp>

namespace tkl {

/// Appends "0.1", "-1e-05", "2147483648", "inf" or "nan". A zero has no sign.
template <std::size_t N>
TKL_COLD constexpr text<N>& operator<<(text<N>& t, double number) {
  if (number != number) return t << "nan";
  if (number < 0) t << '-', number = -number;
  if (number > (std::numeric_limits<double>::max)()) return t << "inf";
  if (number == 0) return t << '0';
  int exponent = 0;  // of ten, that of the first digit
  for (; number >= 10; ++exponent) number /= 10;
  for (; number < 1; --exponent) number *= 10;
  auto rounded = static_cast<std::int64_t>(number * 1e9 + 0.5);
  if (rounded == 10'000'000'000) rounded = 1'000'000'000, ++exponent;
  int count = 10;
  for (; rounded % 10 == 0; --count) rounded /= 10;
  char digits[10]{};
  for (int i = count; i-- > 0; rounded /= 10) digits[i] = static_cast<char>('0' + rounded % 10);
  const bool scientific = exponent < -4 || exponent >= 10;
  const int whole = scientific ? 1 : exponent + 1;  // digits before the point; none where this is below 1
  if (whole < 1) {
    t << "0.";
    for (int i = whole; i < 0; ++i) t << '0';
  }
  for (int i = 0; i < count || i < whole; ++i) {
    if (i == whole && i > 0) t << '.';
    t << (i < count ? digits[i] : '0');
  }
  if (!scientific) return t;
  const int size = exponent < 0 ? -exponent : exponent;
  return t << 'e' << (exponent < 0 ? '-' : '+') << (size < 10 ? "0" : "") << size;
}

}  // namespace tkl
