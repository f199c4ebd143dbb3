// SPDX-License-Identifier: Apache-2.0
// The reference machine: one value at a time, in double precision. Slow, plain, and the oracle of the tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/expr/vocabulary.hpp>
#include <tkl/target/convert.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// A machine of width 1 whose value is a double. Members as in cpu_machine (target/cpu.hpp).
struct reference_machine {
  using value = double;
  using scalar = double;
  static constexpr int width = 1;

  static value zero() { return 0.0; }
  static value constant(float number) { return static_cast<double>(number); }

  template <class T>
  static value broadcast(const T* p) {
    return widen<double>(*p);
  }
  template <class T>
  static value load(const T* p) {
    T stored;  // pointers need no alignment, here as elsewhere
    std::memcpy(&stored, p, sizeof stored);
    return widen<double>(stored);
  }
  template <class T>
  static value load(const T* p, int n) {
    return n > 0 ? widen<double>(*p) : 0.0;
  }
  template <class T>
  static value load_strided(const T* p, std::int64_t, int n) {
    return n > 0 ? widen<double>(*p) : 0.0;
  }
  template <class T>
  static void store(T* p, value v) {
    *p = narrow<T>(v);
  }
  template <class T>
  static void store(T* p, value v, int n) {
    if (n > 0) *p = narrow<T>(v);
  }
  template <class T>
  static void store_strided(T* p, std::int64_t, value v, int n) {
    if (n > 0) *p = narrow<T>(v);
  }
  static void store_triples(double* p, value a, value b, value c) { p[0] = a, p[1] = b, p[2] = c; }

  /// One value at a time: g++ 12 joins neighbouring sums into vectors and then loads past the end of a row.
  static void mac(value& d, value a, value b) {
    d += a * b;
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
    asm("" : "+x"(d));
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
    asm("" : "+w"(d));
#endif
  }
  static void mac_in_place(value& d, value a, value b) {
    mac(d, a, b);
  }
  static void in_register(value&) {}
  static void not_sooner(value&) {}
  template <class T>
  static void load_after(const T*&, value) {}
  static constexpr int ordered_registers = 0;
  static value iota() {
    return 0.0;
  }
  /// v in the first n lanes, `fill` in the others.
  static value keep_first(value v, int n, value fill) {
    return n > 0 ? v : fill;
  }
  static double reduce_add(value v) {
    return v;
  }
  static double reduce_max(value v) {
    return v;
  }
  static double reduce_min(value v) {
    return v;
  }
  static double lane(value v, int) {
    return v;
  }
  static value from_lanes(const double* lanes) {
    return *lanes;
  }
  static value splat(double v) {
    return v;
  }

  /// Leaf policy of expr/eval.hpp: the values at one place.
  struct leaf {
    using value = double;
    double v = 0;
    position at{};
    int lanes = 1;

    double accumulator() const { return v; }
    double literal(float number) const { return static_cast<double>(number); }
    template <class T>
    double scalar(const scalar_node<T>& n) const {
      return widen<double>(*n.data);
    }
    template <class T>
    double channel(const channel_node<T>& n) const {
      return widen<double>(n.data[at.column]);
    }
    template <class T>
    double element(const element_node<T>& n) const {
      return widen<double>(n.data[outer_offset(n.stride) + at.column]);
    }
    template <class T>
    double row(const row_node<T>& n) const {
      return widen<double>(n.data[outer_offset(n.stride)]);
    }
    template <class T>
    double strided(const strided_node<T>& n) const {
      return widen<double>(n.data[outer_offset(n.stride) + at.column * n.inner]);
    }
    double index(const index_node& n) const { return static_cast<double>(n.axis < 3 ? at.outer[n.axis] : at.column); }

   private:
    std::int64_t outer_offset(const std::int64_t (&stride)[3]) const {
      return at.outer[0] * stride[0] + at.outer[1] * stride[1] + at.outer[2] * stride[2];
    }
  };
};

TKL_ISA_END
}  // namespace tkl
