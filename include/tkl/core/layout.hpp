// SPDX-License-Identifier: Apache-2.0
// Layouts: the extents of a tensor, static or known at run time, and where each element lies in memory.
//
// Axes are logical: images are batch, row, column, channel whatever the order in memory. A layout has
//   rank, is_static          number of axes; whether every extent is part of the type
//   declared                 extents in logical order, dyn where they are known at run time only
//   unit_columns             whether elements along the last axis are known to be neighbours
//   shape(), steps()         extents and strides (elements) in logical order
//   agrees()                 whether run-time extents are those that the type declares
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tkl/core/shape.hpp>

namespace tkl {

/// Elements between neighbours along each axis.
struct axis_steps {
  std::int64_t step[max_rank]{};
  constexpr std::int64_t operator[](int axis) const { return step[axis]; }
  constexpr std::int64_t& operator[](int axis) { return step[axis]; }
};

/// Strides of a tensor of that shape without gaps, the last axis innermost.
constexpr axis_steps packed_steps(const shape& s) {
  axis_steps steps;
  checked step = 1;
  for (int i = s.rank - 1; i >= 0; --i) {
    steps[i] = step.valid ? step.value : 0;
    step = step * s[i];
  }
  return steps;
}

template <class L>
concept layout = requires(const L& l) {
  { L::rank } -> std::convertible_to<int>;
  { L::is_static } -> std::convertible_to<bool>;
  { L::unit_columns } -> std::convertible_to<bool>;
  { L::declared } -> std::convertible_to<shape>;
  { l.shape() } -> std::same_as<shape>;
  { l.steps() } -> std::same_as<axis_steps>;
  { l.agrees() } -> std::same_as<bool>;
};

namespace detail {

/// Run-time extents, or nothing where all are static.
template <bool Static>
struct kept_extents {
  tkl::shape extents{};
};
template <>
struct kept_extents<true> {};

/// dyn, once per argument.
template <class>
inline constexpr std::int64_t dyn_for = dyn;

/// Extents before any were given: the declared ones, 0 where they are dyn.
constexpr shape empty_extents(shape declared) {
  for (int i = 0; i < declared.rank; ++i)
    if (declared[i] == dyn) declared[i] = 0;
  return declared;
}

/// Whether extents fit a declaration.
constexpr bool fits_declared(const shape& extents, const shape& declared) {
  if (extents.rank != declared.rank) return false;
  for (int i = 0; i < extents.rank; ++i)
    if (declared[i] != dyn && declared[i] != extents[i]) return false;
  return true;
}

}  // namespace detail

/// Elements in the order of the axes, the last one innermost. No axes: a scalar.
///   row_major<4, 8> a;   row_major<dyn, 8> b(n, 8);   row_major c(n, m);
template <std::int64_t... E>
struct row_major : private detail::kept_extents<(... && (E != dyn))> {
  static_assert((... && (E >= 0 || E == dyn)), "an extent is negative");
  static_assert(sizeof...(E) <= max_rank, "a tensor has at most six axes");
  static constexpr int rank = static_cast<int>(sizeof...(E));
  static constexpr bool is_static = (... && (E != dyn));
  static constexpr bool unit_columns = true;
  static constexpr tkl::shape declared = [] {
    tkl::shape s;
    ((s[s.rank++] = E), ...);
    return s;
  }();

  /// The static extents, 0 for the others.
  constexpr row_major() : row_major(detail::empty_extents(declared)) {}
  /// All extents, the static ones included.
  template <class... X, std::size_t Count = sizeof...(E)>
  requires(sizeof...(X) == Count && sizeof...(X) > 0) constexpr explicit(sizeof...(X) == 1) row_major(X... extents)
      : row_major(tkl::shape(extents...)) {}
  constexpr explicit row_major([[maybe_unused]] const tkl::shape& extents) {
    if constexpr (!is_static) this->extents = extents;
  }

  constexpr tkl::shape shape() const {
    if constexpr (is_static) {
      return declared;
    } else {
      return this->extents;
    }
  }
  constexpr axis_steps steps() const { return packed_steps(shape()); }
  constexpr bool agrees() const { return detail::fits_declared(shape(), declared); }
  constexpr operator tkl::shape() const {
    return shape();
  }  // NOLINT(google-explicit-constructor): a layout is its shape
};
template <std::convertible_to<std::int64_t>... X>
requires(sizeof...(X) > 0) row_major(X... extents)
->row_major<detail::dyn_for<X>...>;

/// Images whose channels are innermost: batch, row, column, channel.
template <std::int64_t N = dyn, std::int64_t H = dyn, std::int64_t W = dyn, std::int64_t C = dyn>
struct nhwc : row_major<N, H, W, C> {
  constexpr nhwc() = default;
  constexpr explicit nhwc(const tkl::shape& extents) : row_major<N, H, W, C>(extents) {}
  constexpr nhwc(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) : row_major<N, H, W, C>(n, h, w, c) {}
};

/// Images in planes: written batch, channel, row, column as they lie in memory; the logical order of the axes is still
/// batch, row, column, channel.
template <std::int64_t N = dyn, std::int64_t C = dyn, std::int64_t H = dyn, std::int64_t W = dyn>
struct nchw : private detail::kept_extents<row_major<N, H, W, C>::is_static> {
  static constexpr int rank = 4;
  static constexpr bool is_static = row_major<N, H, W, C>::is_static;
  static constexpr bool unit_columns = false;
  static constexpr tkl::shape declared{N, H, W, C};

  constexpr nchw() : nchw(detail::empty_extents(declared)) {}
  constexpr nchw(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) : nchw(tkl::shape(n, h, w, c)) {}

  constexpr tkl::shape shape() const {
    if constexpr (is_static) {
      return declared;
    } else {
      return this->extents;
    }
  }
  constexpr axis_steps steps() const {
    const tkl::shape s = shape();
    const axis_steps planes = packed_steps({s[0], s[3], s[1], s[2]});
    axis_steps steps;
    steps[0] = planes[0], steps[1] = planes[2], steps[2] = planes[3], steps[3] = planes[1];
    return steps;
  }
  constexpr bool agrees() const { return detail::fits_declared(shape(), declared); }
  constexpr operator tkl::shape() const { return shape(); }  // NOLINT(google-explicit-constructor)

 private:
  constexpr explicit nchw([[maybe_unused]] const tkl::shape& logical) {
    if constexpr (!is_static) this->extents = logical;
  }
};

/// Any extents and strides, known at run time: rows with gaps, every second element, broadcast axes (stride 0).
template <int Rank>
requires(Rank >= 0 && Rank <= max_rank) struct strided {
  static constexpr int rank = Rank;
  static constexpr bool is_static = Rank == 0;
  static constexpr bool unit_columns = false;
  static constexpr tkl::shape declared = [] {
    tkl::shape s;
    for (int i = 0; i < Rank; ++i) s[s.rank++] = dyn;
    return s;
  }();

  constexpr strided() : extents_(detail::empty_extents(declared)) {}
  constexpr strided(const tkl::shape& extents, const axis_steps& steps) : extents_(extents), steps_(steps) {}
  constexpr tkl::shape shape() const { return extents_; }
  constexpr axis_steps steps() const { return steps_; }
  constexpr bool agrees() const { return extents_.rank == Rank; }

 private:
  tkl::shape extents_{};
  axis_steps steps_{};
};

}  // namespace tkl
