// SPDX-License-Identifier: Apache-2.0
// Values and indices that are names in OpenCL C text: every operation on them writes one statement.
//
// The functions here are ordinary constexpr functions: text is written while the program compiles, when it starts, or
// in a unit test. A value is a vector of four floats, one float, or a number that takes the width of its neighbour;
// in half precision also a vector of eight.
#pragma once

#include <bit>
#include <cstdint>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>
#include <tkl/core/text.hpp>
#include <tkl/expr/vocabulary.hpp>

namespace tkl {

/// What a kernel takes: buffers, and the numbers of a step. The host finds each number by this description, so that a
/// text and the call of its kernel cannot disagree.
enum class argument_kind : std::uint8_t {
  buffer,     // of a role
  offset,     // of a role: elements from the start of the buffer
  extent,     // of a role, along an axis
  stride,     // of a role, along an axis
  parameter,  // `slot`: number of a parameter, `axis`: its index
  real,       // `axis`: index in step_parameters::real
  literal,    // of an operand slot: float
  axis,       // of an operand slot: which index it is
  tables,     // sources of a resize: triples low, high, weight, as integers
  table_at    // integers before the step's own
};
struct text_argument {
  argument_kind kind = argument_kind::buffer;
  role which = role::in;
  std::uint8_t slot = 0;
  std::uint8_t axis = 0;
  element type = element::f32;
  constexpr bool operator==(const text_argument&) const = default;
};

inline constexpr std::size_t most_source = 24000;  // characters of one kernel's text
inline constexpr int most_arguments = 96;

/// The text of one kernel as it grows, and the arguments that it has asked for.
struct kernel_writer {
  text<most_source> source{};
  text_argument argument[most_arguments]{};
  int arguments = 0;
  int names = 0;
  bool half = false;         // the kernel computes in half precision, as far as its algorithm has such parts
  int columns = item_width;  // of an item of an element-wise step

  constexpr bool overflown() const { return source.size >= most_source || arguments >= most_arguments; }
  /// Number of an argument, added when it is new.
  constexpr int argument_number(const text_argument& a) {
    for (int i = 0; i < arguments; ++i)
      if (argument[i] == a) return i;
    if (arguments < most_arguments) argument[arguments++] = a;
    return arguments - 1;
  }
  template <class T>
  constexpr kernel_writer& operator<<(const T& v) {
    source << v;
    return *this;
  }
};

/// Name of a role's tensor: x, weights, y, e0, e1, ..., p0, p1, ...
template <class Text>
constexpr void write_role(Text& t, const text_argument& a) {
  constexpr std::string_view names[] = {"x", "x2", "x3", "mask", "weights", "y", "e", "p"};
  t << names[static_cast<int>(a.which)];
  if (a.which == role::operand || a.which == role::prologue) t << int{a.slot};
}

/// Name of an argument.
template <class Text>
constexpr void write_argument(Text& t, const text_argument& a) {
  constexpr std::string_view parameters[] = {"kernel", "step",        "dilation", "pad",
                                             "groups", "include_pad", "heads",    "reach"};
  switch (a.kind) {
    case argument_kind::buffer:
      return write_role(t, a);
    case argument_kind::offset:
      return write_role(t, a), void(t << "_at");
    case argument_kind::extent:
      return write_role(t, a), void(t << "_extent" << int{a.axis});
    case argument_kind::stride:
      return write_role(t, a), void(t << "_stride" << int{a.axis});
    case argument_kind::parameter:
      return void(t << parameters[a.slot] << int{a.axis});
    case argument_kind::real:
      return void(t << "real" << int{a.axis});
    case argument_kind::literal:
      return void(t << (a.which == role::prologue ? "p_literal" : "literal") << int{a.slot});
    case argument_kind::axis:
      return void(t << (a.which == role::prologue ? "p_axis" : "axis") << int{a.slot});
    case argument_kind::tables:
      return void(t << "tables");
    case argument_kind::table_at:
      return void(t << "table_at");
  }
}

/// A number exactly: decimal where it is a small whole number, else hexadecimal.
template <class Text>
constexpr void write_number(Text& t, float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const std::uint32_t exponent = bits >> 23 & 255, fraction = bits & 0x7fffff;
  if (exponent == 255 && fraction != 0) return void(t << "NAN");
  if (bits >> 31 != 0) t << '-';
  const float size = bits >> 31 != 0 ? -v : v;
  if (exponent == 255) return void(t << "INFINITY");
  if (size < 1e6f && static_cast<float>(static_cast<std::int32_t>(size)) == size)
    return void(t << static_cast<int>(size) << ".0f");
  t << (exponent == 0 ? "0x0." : "0x1.");
  for (int shift = 20; shift >= 0; shift -= 4) t << "0123456789abcdef"[(fraction << 1) >> shift & 15];
  t << 'p' << (exponent == 0 ? -126 : static_cast<int>(exponent) - 127) << 'f';
}

/// A 32-bit index: a number, a name, or an argument.
struct text_int {
  kernel_writer* writer = nullptr;
  int name = -1;      // i<name>
  int argument = -1;  // number of an argument
  std::int32_t number = 0;

  constexpr text_int() = default;
  constexpr text_int(int v) : number(v) {}  // NOLINT(google-explicit-constructor): numbers are indices
  constexpr text_int(kernel_writer& w, int i, int a) : writer(&w), name(i), argument(a) {}
  constexpr bool known() const { return writer == nullptr; }
};

/// A value: a number (width 0), one float (1) or four (4); or as many numbers of half precision, or eight (8).
struct text_value {
  kernel_writer* writer = nullptr;
  int name = -1;  // t<name>, or the accumulator v
  int width = 0;
  float number = 0;
  bool half = false;

  constexpr text_value() = default;
  constexpr explicit text_value(float v) : number(v) {}
  constexpr text_value(kernel_writer& w, int i, int lanes, bool in_half = false)
      : writer(&w), name(i), width(lanes), half(in_half) {}
};

TKL_ISA_BEGIN

namespace impl {

constexpr void write(kernel_writer& w, const text_int& v) {
  if (v.argument >= 0) return write_argument(w, w.argument[v.argument]);
  if (v.name >= 0) return void(w << 'i' << v.name);
  w << v.number;
}
/// The word for the type of `width` numbers.
constexpr std::string_view type_word(int width, bool half) {
  return width == 8 ? "H8" : width == 4 ? (half ? "H4" : "F4") : half ? "half" : "float";
}
/// As a vector where `width` is more than 1. `half`: the type that a number takes.
constexpr void write(kernel_writer& w, const text_value& v, int width, bool half = false) {
  if (v.writer != nullptr && v.name < 0) return void(w << 'v');
  if (v.writer != nullptr) return void(w << 't' << v.name);
  if (width > 1) w << '(' << type_word(width, half) << ")(";
  if (half) w << "(half)";
  write_number(w, v.number);
  if (width > 1) w << ')';
}

/// Begins the statement that declares the next name.
constexpr text_value declare(kernel_writer& w, int width, bool changes = false, bool half = false) {
  w << (changes ? "" : "const ") << type_word(width, half) << " t" << w.names << " = ";
  return {w, w.names++, width, half};
}
constexpr text_int declare_int(kernel_writer& w, bool changes = false) {
  w << (changes ? "int i" : "const int i") << w.names << " = ";
  return {w, w.names++, -1};
}

/// One statement: the pieces of text with the operands between them.
template <int N>
constexpr text_value statement(const std::string_view (&piece)[N + 1], const text_value (&operand)[N]) {
  kernel_writer* w = nullptr;
  int width = 1;
  bool half = false;
  for (const text_value& o : operand) {
    if (o.writer != nullptr) w = o.writer;
    if (o.width > width) width = o.width;
    half = half || o.half;
  }
  const text_value result = declare(*w, width, false, half);
  for (int i = 0; i < N; ++i) {
    *w << piece[i];
    write(*w, operand[i], width, half);
  }
  *w << piece[N] << ";\n";
  return result;
}
constexpr text_value call(std::string_view before, const text_value& a) {
  return statement<1>({before, ")"}, {a});
}
constexpr text_value call(std::string_view before, const text_value& a, const text_value& b) {
  return statement<2>({before, ", ", ")"}, {a, b});
}
constexpr bool known(const text_value& a) {
  return a.writer == nullptr;
}

constexpr text_int operate(const text_int& a, std::string_view op, const text_int& b) {
  kernel_writer& w = a.known() ? *b.writer : *a.writer;
  const text_int result = declare_int(w);
  write(w, a);
  w << op;
  write(w, b);
  w << ";\n";
  return result;
}

}  // namespace impl

constexpr text_int operator+(const text_int& a, const text_int& b) {
  if (a.known() && b.known()) return a.number + b.number;
  if (a.known() && a.number == 0) return b;
  if (b.known() && b.number == 0) return a;
  return impl::operate(a, " + ", b);
}
constexpr text_int operator-(const text_int& a, const text_int& b) {
  if (a.known() && b.known()) return a.number - b.number;
  if (b.known() && b.number == 0) return a;
  return impl::operate(a, " - ", b);
}
constexpr text_int operator*(const text_int& a, const text_int& b) {
  if (a.known() && b.known()) return a.number * b.number;
  if (a.known() && a.number == 1) return b;
  if (b.known() && b.number == 1) return a;
  return impl::operate(a, " * ", b);
}
constexpr text_int operator/(const text_int& a, const text_int& b) {
  return b.known() && b.number == 1 ? a : impl::operate(a, " / ", b);
}
constexpr text_int operator%(const text_int& a, const text_int& b) {
  return impl::operate(a, " % ", b);
}
constexpr text_int operator<(const text_int& a, const text_int& b) {
  return impl::operate(a, " < ", b);
}
constexpr text_int operator>(const text_int& a, const text_int& b) {
  return impl::operate(a, " > ", b);
}
constexpr text_int operator>=(const text_int& a, const text_int& b) {
  return impl::operate(a, " >= ", b);
}
constexpr text_int operator&(const text_int& a, const text_int& b) {
  return impl::operate(a, " & ", b);
}

constexpr text_value operator+(const text_value& a, const text_value& b) {
  if (impl::known(a) && impl::known(b)) return text_value(a.number + b.number);
  return impl::statement<2>({"", " + ", ""}, {a, b});
}
constexpr text_value operator-(const text_value& a, const text_value& b) {
  if (impl::known(a) && impl::known(b)) return text_value(a.number - b.number);
  return impl::statement<2>({"", " - ", ""}, {a, b});
}
constexpr text_value operator*(const text_value& a, const text_value& b) {
  if (impl::known(a) && impl::known(b)) return text_value(a.number * b.number);
  return impl::statement<2>({"", " * ", ""}, {a, b});
}
constexpr text_value operator-(const text_value& a) {
  if (impl::known(a)) return text_value(-a.number);
  return impl::statement<1>({"-", ""}, {a});
}

/// The vocabulary in OpenCL C 1.2. Errors are those that the standard allows (section 7.4): division 2.5 units in the
/// last place unless the device divides exactly, exp and log 3, tanh 5, erf and pow 16, sqrt 3, others exact.
template <>
struct math<text_value> {
  using V = text_value;
  static constexpr V constant(float v) { return text_value(v); }
  static constexpr V fma(const V& a, const V& b, const V& c) {
    const std::string_view name = a.half || b.half || c.half ? "HFMA(" : "FMA(";
    return impl::statement<3>({name, ", ", ", ", ")"}, {a, b, c});
  }
  static constexpr V div(const V& a, const V& b) { return impl::statement<2>({"", " / ", ""}, {a, b}); }
  static constexpr V(max)(const V& a, const V& b) { return impl::call("MAXIMUM(", a, b); }
  static constexpr V(min)(const V& a, const V& b) { return impl::call("MINIMUM(", a, b); }
  static constexpr V at_least(const V& a, const V& bound) { return impl::call("AT_LEAST(", a, bound); }
  static constexpr V at_most(const V& a, const V& bound) { return impl::call("AT_MOST(", a, bound); }
  static constexpr V abs(const V& a) { return impl::call("fabs(", a); }
  static constexpr V sqrt(const V& a) { return impl::call("sqrt(", a); }
  static constexpr V floor(const V& a) { return impl::call("floor(", a); }
  static constexpr V round(const V& a) { return impl::call("rint(", a); }
  static constexpr V select_less(const V& a, const V& b, const V& x, const V& y) {
    return impl::statement<4>({"select(", ", ", ", ", " < ", ")"}, {y, x, a, b});
  }
  static constexpr V select_equal(const V& a, const V& b, const V& x, const V& y) {
    return impl::statement<4>({"select(", ", ", ", ", " == ", ")"}, {y, x, a, b});
  }
  static constexpr V exp(const V& a) { return impl::call("exp(", a); }
  static constexpr V exp_nonpositive(const V& a) { return impl::call("exp(", a); }
  static constexpr V log(const V& a) { return impl::call("log(", a); }
  static constexpr V tanh(const V& a) { return impl::call("tanh(", a); }
  static constexpr V erf(const V& a) { return impl::call("erf(", a); }
  static constexpr V expm1(const V& a) { return impl::call("expm1(", a); }
  static constexpr V log1p(const V& a) { return impl::call("log1p(", a); }
  static constexpr V pow(const V& a, const V& b) { return impl::call("pow(", a, b); }
  /// e / (1 + e) or 1 / (1 + e) with e = exp(-|a|): never larger than it should be, NaN stays.
  static constexpr V sigmoid(const V& a) {
    const V e = exp(-abs(a)), one = constant(1.0f);
    return div(select_less(a, constant(0.0f), e, one), one + e);
  }
};

TKL_ISA_END
}  // namespace tkl
