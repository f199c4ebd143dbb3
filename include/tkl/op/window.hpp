// SPDX-License-Identifier: Apache-2.0
// Extents of sliding windows along one axis: convolution, pooling, transposed convolution; padding, stride, dilation,
// automatic padding, ceil mode, output padding. All arithmetic is checked.
//
// A window with `kernel` taps `dilation` apart covers reach = (kernel - 1) * dilation + 1 elements. Windows start at
// -before, -before + stride, ...; those whose whole reach lies inside before + input + after are outputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/params.hpp>

namespace tkl {

/// One axis of a window op as written.
struct window_axis {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;
  std::int64_t after = 0;
  auto_pad automatic = auto_pad::given;
  int axis = 0;  // 0 rows, 1 columns: for messages only
};

/// The extent of the result and the padding that holds, or a complaint.
struct window_extent {
  std::int64_t extent = 0;
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t output_pad = 0;
  complaint error{};
  constexpr bool ok() const { return error.empty(); }
};

inline constexpr std::int64_t largest_attribute = 2147483647;

TKL_TAGGED constexpr std::string_view spatial_name(int axis) {
  return axis == 0 ? "axis 1 (rows): " : "axis 2 (columns): ";
}

/// Complains about an attribute outside `least` to 2^31 - 1.
TKL_TAGGED constexpr complaint need_attribute(int axis, std::string_view name, std::int64_t value, std::int64_t least) {
  complaint c;
  if (value < least)
    c << spatial_name(axis) << name << " is " << value << ", must be at least " << least;
  else if (value > largest_attribute)
    c << spatial_name(axis) << name << " is " << value << ", must be at most " << largest_attribute;
  return c;
}

TKL_TAGGED constexpr complaint need_window(const window_axis& w) {
  if (w.kernel < 1 || w.kernel > largest_attribute) return need_attribute(w.axis, "kernel", w.kernel, 1);
  if (w.stride < 1 || w.stride > largest_attribute) return need_attribute(w.axis, "stride", w.stride, 1);
  if (w.dilation < 1 || w.dilation > largest_attribute) return need_attribute(w.axis, "dilation", w.dilation, 1);
  if (w.automatic == auto_pad::given) {
    if (w.before < 0 || w.before > largest_attribute) return need_attribute(w.axis, "pad before", w.before, 0);
    if (w.after < 0 || w.after > largest_attribute) return need_attribute(w.axis, "pad after", w.after, 0);
  }
  return {};
}

/// Elements that a dilated window covers.
TKL_TAGGED constexpr checked window_reach(const window_axis& w) {
  return (checked(w.kernel) - 1) * w.dilation + 1;
}

/// Extent of a convolution or (floor mode) pooling along one axis.
TKL_TAGGED constexpr window_extent conv_extent(const window_axis& w) {
  window_extent r;
  r.error = need_window(w);
  if (!r.ok()) return r;
  const std::int64_t reach = window_reach(w).value;  // below 2^62: both factors were bounded
  if (w.automatic == auto_pad::same_upper || w.automatic == auto_pad::same_lower) {
    r.extent = ceil_div(w.input, w.stride);
    const checked needed = (checked(r.extent) - 1) * w.stride + reach - w.input;
    const std::int64_t total = r.extent == 0 || needed.value < 0 ? 0 : needed.value;
    const std::int64_t less = total / 2;
    r.before = w.automatic == auto_pad::same_upper ? less : total - less;
    r.after = total - r.before;
    if (total > largest_attribute) r.error << spatial_name(w.axis) << "automatic padding " << total << " is too large";
    return r;
  }
  if (w.automatic == auto_pad::given) r.before = w.before, r.after = w.after;
  const checked padded = checked(w.input) + r.before + r.after;
  if (!padded.valid) {
    r.error << spatial_name(w.axis) << "input " << w.input << " with padding " << r.before << " and " << r.after
            << " leaves 64 bits";
  } else if (padded.value < reach) {
    r.error << spatial_name(w.axis) << "the kernel does not fit: it covers " << reach << " (kernel " << w.kernel
            << ", dilation " << w.dilation << "), the padded input has " << padded.value << " (" << r.before << " + "
            << w.input << " + " << r.after << ")";
  } else {
    r.extent = (padded.value - reach) / w.stride + 1;
  }
  return r;
}

/// Extent of a pooling along one axis. A window may hang over the end in ceil mode, but it starts inside the input or
/// the padding before it. Every window must see at least one element: padding stays below the kernel's reach.
TKL_TAGGED constexpr window_extent pool_extent(const window_axis& w, bool ceil_mode) {
  window_extent r = conv_extent(w);
  if (!r.ok()) return r;
  const std::int64_t reach = window_reach(w).value;
  if (w.input == 0) {
    r.error << spatial_name(w.axis) << "the input has 0 elements, a window of kernel " << w.kernel << " needs 1";
    return r;
  }
  if (r.before >= reach || r.after >= reach) {
    r.error << spatial_name(w.axis) << "pad " << (r.before >= reach ? r.before : r.after)
            << " must be below the kernel, which covers " << reach << ": a window would see no element";
    return r;
  }
  if (ceil_mode && (w.automatic == auto_pad::given || w.automatic == auto_pad::valid)) {
    const std::int64_t span = r.before + w.input + r.after - reach;
    r.extent = ceil_div(span, w.stride) + 1;
    while ((r.extent - 1) * w.stride >= w.input + r.before) --r.extent;
  }
  if (w.dilation > 1) {  // taps may straddle a short input: only windows over a border can be empty
    for (std::int64_t o = 0; o < r.extent; ++o) {
      const std::int64_t start = o * w.stride - r.before;
      if (start >= 0 && start + reach <= w.input) {  // inside: go on to the last window that ends inside
        const std::int64_t last = (w.input - reach + r.before) / w.stride;
        if (last > o) o = last;
        continue;
      }
      bool sees = false;
      for (std::int64_t k = 0; k < w.kernel && !sees; ++k) {
        const std::int64_t at = start + k * w.dilation;
        sees = at >= 0 && at < w.input;
      }
      if (!sees) {
        r.error << spatial_name(w.axis) << "window " << o << " sees no element: dilation " << w.dilation
                << " with input " << w.input << ", pads " << r.before << " and " << r.after;
        return r;
      }
    }
  }
  return r;
}

/// Extent of a transposed convolution along one axis: (input - 1) * stride - before - after + reach + output_pad.
/// `same` gives input * stride.
TKL_TAGGED constexpr window_extent conv_transpose_extent(const window_axis& w, std::int64_t output_pad) {
  window_extent r;
  r.error = need_window(w);
  if (!r.ok()) return r;
  if (output_pad < 0) {
    r.error = need_attribute(w.axis, "output_pad", output_pad, 0);
    return r;
  }
  if (output_pad >= w.stride && output_pad >= w.dilation) {
    r.error << spatial_name(w.axis) << "output_pad is " << output_pad << ", must be below the larger of stride "
            << w.stride << " and dilation " << w.dilation;
    return r;
  }
  if (w.input < 1) {
    r.error << spatial_name(w.axis) << "the input has 0 elements, a transposed convolution needs 1";
    return r;
  }
  r.output_pad = output_pad;
  const checked full = (checked(w.input) - 1) * w.stride + window_reach(w) + output_pad;
  checked extent = full;
  if (w.automatic == auto_pad::same_upper || w.automatic == auto_pad::same_lower) {
    extent = checked(w.input) * w.stride;
    if (full.valid && extent.valid) {
      std::int64_t total = full.value - extent.value;
      if (total < 0) {  // the kernel is shorter than the stride: rows without contributions follow
        if (w.automatic == auto_pad::same_lower) {
          r.error << spatial_name(w.axis)
                  << "same_lower needs a kernel that covers the stride: " << window_reach(w).value << " against "
                  << w.stride;
          return r;
        }
        r.output_pad -= total;
        total = 0;
      }
      r.before = w.automatic == auto_pad::same_upper ? total / 2 : total - total / 2;
      r.after = total - r.before;
    }
  } else if (w.automatic == auto_pad::given) {
    r.before = w.before, r.after = w.after;
    extent = full - w.before - w.after;
  }
  if (!extent.valid || !full.valid) {
    r.error << spatial_name(w.axis) << "input " << w.input << " with stride " << w.stride << " leaves 64 bits";
  } else if (extent.value < 1) {
    r.error << spatial_name(w.axis) << "pads " << w.before << " and " << w.after << " leave " << extent.value
            << " of an extent of " << full.value;
  }
  r.extent = extent.value;
  return r;
}

}  // namespace tkl
