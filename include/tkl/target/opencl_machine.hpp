// SPDX-License-Identifier: Apache-2.0
// The machine of work items that writes OpenCL C 1.2: the algorithms of algo/work_item run on it once, and what they
// would have done stands in its text.
//
// Extents, strides and offsets are arguments. There is no array, no local memory and no barrier in any text. The body
// calls the epilogue, two functions that target/opencl_epilogue.hpp writes before it, with its accumulators. Where the
// writer computes in half precision, products are summed so, a few at a time, and the sums of these in f32.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/target/opencl_text.hpp>

namespace tkl {

TKL_ISA_BEGIN

class opencl_machine {
 public:
  using value = text_value;
  using one = text_value;
  using integer = text_int;
  static constexpr int width = item_width;
  static constexpr int team = 1;

  constexpr opencl_machine(kernel_writer& w, element in, element out, element weights = element::f32)
      : w_(w), in_(in), out_(out), weights_(weights) {}

  // Numbers of the step.
  constexpr integer extent(role r, int axis) { return argument(argument_kind::extent, r, axis); }
  constexpr integer stride(role r, int axis) { return argument(argument_kind::stride, r, axis); }
  constexpr integer parameter(tkl::parameter p, int i) {
    return named({argument_kind::parameter, role::in, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(i)});
  }
  constexpr value real(int i) {
    const integer a = named({argument_kind::real, role::in, 0, static_cast<std::uint8_t>(i)});
    const value v = impl::declare(w_, 1);
    impl::write(w_, a);
    return ended(v);
  }
  constexpr integer index(int number) { return {number}; }
  constexpr value constant(float number) { return value(number); }
  constexpr integer item(int d) {
    const integer i = impl::declare_int(w_);
    w_ << "(int)get_global_id(" << d << ");\n";
    return i;
  }

  // A team of one.
  constexpr integer team_place() { return {0}; }
  constexpr integer if_leading(const integer& condition) { return condition; }
  template <class F>
  constexpr void when_leading(F body) {
    body();
  }
  template <class P>
  constexpr value fold_team(const value& v) {
    return v;
  }

  // Memory.
  constexpr value load(role r, const integer& i) {
    const value v = impl::declare(w_, 4, false, in_half_);
    load_at(r, 4, i, 0);
    return ended(v);
  }
  /// The first `lanes` lanes, zeros in the others; `lanes` may be more than the width, or not positive: nothing is
  /// read.
  constexpr value load(role r, const integer& i, const integer& lanes) {
    const value v = impl::declare(w_, 4);
    impl::write(w_, lanes);
    w_ << " >= 4 ? ";
    load_at(r, 4, i, 0);
    w_ << " : (F4)(";
    for (int l = 0; l < 3; ++l) {
      impl::write(w_, lanes), w_ << " > " << l << " ? ";
      load_at(r, 1, i, l);
      w_ << " : 0.0f, ";
    }
    w_ << "0.0f)";
    return ended(v);
  }
  constexpr value load_one(role r, const integer& i) {
    const value v = impl::declare(w_, 1);
    load_at(r, 1, i, 0);
    return ended(v);
  }
  constexpr value load_each(role r, const integer (&i)[item_width]) {
    const value v = impl::declare(w_, 4);
    for (int l = 0; l < item_width; ++l) {
      w_ << (l == 0 ? "(F4)(" : ", ");
      load_at(r, 1, i[l], 0);
    }
    w_ << ')';
    return ended(v);
  }
  /// Lane l is element first + l of the row that begins at `row`, `fill` where that is outside of [0, extent).
  constexpr value load_inside(role r, const integer& row, const integer& first, const integer& extent,
                              const value& fill) {
    const integer start = row + first;
    const value v = impl::declare(w_, 4);
    impl::write(w_, first);
    w_ << " >= 0 && ";
    impl::write(w_, first);
    w_ << " + 4 <= ";
    impl::write(w_, extent);
    w_ << " ? ";
    load_at(r, 4, start, 0);
    w_ << " : ";
    for (int l = 0; l < item_width; ++l) {
      w_ << (l == 0 ? "(F4)((uint)(" : ", (uint)(");
      impl::write(w_, first);
      w_ << " + " << l << ") < (uint)";
      impl::write(w_, extent);
      w_ << " ? ";
      load_at(r, 1, start, l);
      w_ << " : ";
      impl::write(w_, fill, 1);
    }
    w_ << ')';
    return ended(v);
  }
  /// Field 0 to 2 of triple i of the step's tables.
  constexpr integer table(const integer& i, int field) {
    const integer at = named({argument_kind::table_at});
    const integer buffer = named({argument_kind::tables});
    const integer r = impl::declare_int(w_);
    impl::write(w_, buffer), w_ << '[', impl::write(w_, at), w_ << " + 3 * ";
    impl::write(w_, i), w_ << " + " << field << "];\n";
    return r;
  }
  /// The same as the float whose bits they are.
  constexpr value table_float(const integer& i, int field) {
    const integer bits = table(i, field);
    const value v = impl::declare(w_, 1);
    w_ << "as_float(";
    impl::write(w_, bits);
    w_ << ')';
    return ended(v);
  }
  constexpr void store_index(const integer& i, const integer& number) {
    impl::write(w_, named({argument_kind::buffer, role::out, 0, 0, out_}));
    w_ << '[';
    impl::write(w_, named({argument_kind::offset, role::out}));
    w_ << " + ";
    impl::write(w_, i);
    w_ << "] = ";
    impl::write(w_, number);
    w_ << ";\n";
  }

  // Lanes.
  constexpr value splat(const value& v) {
    if (v.width != 1) return v;
    const value r = impl::declare(w_, 4, false, v.half);
    w_ << (v.half ? "(H4)(" : "(F4)(");
    impl::write(w_, v, 1);
    w_ << ')';
    return ended(r);
  }
  /// A number as one lane.
  constexpr value splat_one(float number) {
    const value v = impl::declare(w_, 1);
    write_number(w_, number);
    return ended(v);
  }
  constexpr value lane(const value& v, int k) {
    const value r = impl::declare(w_, 1, false, v.half);
    impl::write(w_, v, 4);
    w_ << ".s" << k;
    return ended(r);
  }
  /// Lane k of each of the vectors.
  constexpr value join_lanes(const value (&v)[item_width], int k) {
    const value r = impl::declare(w_, 4);
    for (int l = 0; l < item_width; ++l) {
      w_ << (l == 0 ? "(F4)(" : ", ");
      impl::write(w_, v[l], 4);
      w_ << ".s" << k;
    }
    w_ << ')';
    return ended(r);
  }
  constexpr value keep_first(const value& v, const integer& lanes, const value& fill) {
    const value r = impl::declare(w_, 4);
    w_ << "select(";
    impl::write(w_, fill, 4);
    w_ << ", ";
    impl::write(w_, v, 4);
    w_ << ", (I4)(0, 1, 2, 3) < (I4)(";
    impl::write(w_, lanes);
    w_ << "))";
    return ended(r);
  }
  constexpr value select(const integer& condition, const value& a, const value& b) {
    const int lanes = a.width > b.width ? a.width : b.width;
    const bool half = a.half || b.half;
    const value r = impl::declare(w_, lanes, false, half);
    impl::write(w_, condition);
    w_ << " ? ";
    impl::write(w_, a, lanes, half);
    w_ << " : ";
    impl::write(w_, b, lanes, half);
    return ended(r);
  }
  constexpr value number(const integer& i) {
    const value r = impl::declare(w_, 1);
    w_ << "(float)";
    impl::write(w_, i);
    return ended(r);
  }
  /// Whether v takes the place of the largest element so far: it is larger, or the first NaN.
  constexpr integer replaces(const value& v, const value& largest) {
    const integer r = impl::declare_int(w_);
    impl::write(w_, largest, 1), w_ << " < ";
    impl::write(w_, v, 1), w_ << " || (isnan(";
    impl::write(w_, v, 1), w_ << ") && !isnan(";
    impl::write(w_, largest, 1), w_ << "));\n";
    return r;
  }

  // Indices.
  constexpr integer least(const integer& a, const integer& b) { return pick("min(", a, b); }
  constexpr integer most(const integer& a, const integer& b) { return pick("max(", a, b); }
  constexpr integer choose(const integer& condition, const integer& a, const integer& b) {
    const integer r = impl::declare_int(w_);
    impl::write(w_, condition);
    w_ << " ? ";
    impl::write(w_, a);
    w_ << " : ";
    impl::write(w_, b);
    w_ << ";\n";
    return r;
  }

  // What changes, and control.
  constexpr value variable(const value& v) {
    const int lanes = v.width == 1 ? 1 : 4;
    const value r = impl::declare(w_, lanes, true);
    impl::write(w_, v, lanes);
    return ended(r);
  }
  constexpr integer variable(const integer& v) {
    const integer r = impl::declare_int(w_, true);
    impl::write(w_, v);
    w_ << ";\n";
    return r;
  }
  constexpr void assign(const value& d, const value& v) {
    impl::write(w_, d, d.width);
    w_ << " = ";
    impl::write(w_, v, d.width);
    w_ << ";\n";
  }
  constexpr void assign(const integer& d, const integer& v) {
    impl::write(w_, d);
    w_ << " = ";
    impl::write(w_, v);
    w_ << ";\n";
  }
  constexpr void mac(const value& d, const value& a, const value& b) {
    impl::write(w_, d, 4);
    w_ << (d.half ? " = HFMA(" : " = FMA(");
    impl::write(w_, a, 4), w_ << ", ";
    impl::write(w_, b, 4), w_ << ", ";
    impl::write(w_, d, 4), w_ << ");\n";
  }

  /// Whether this kernel multiplies in half precision at all.
  constexpr bool multiplies_in_half() const { return w_.half; }
  /// Within body(), vectors are loaded as half precision, in which all is computed that has such an operand.
  template <class F>
  constexpr void in_half(F body) {
    in_half_ = true;
    body();
    in_half_ = false;
  }
  /// Eight numbers of half precision; and four of them, the first or the last.
  constexpr value load_eight(role r, const integer& i) {
    const value v = impl::declare(w_, 8, false, true);
    load_at(r, 8, i, 0);
    return ended(v);
  }
  constexpr value four_of(const value& v, int part) {
    const value r = impl::declare(w_, 4, false, true);
    impl::write(w_, v, 8);
    w_ << (part == 0 ? ".lo" : ".hi");
    return ended(r);
  }
  /// A vector of half precision that changes, 0 at first.
  constexpr value half_sum() {
    const value r = impl::declare(w_, 4, true, true);
    impl::write(w_, value(0.0f), 4, true);
    return ended(r);
  }
  constexpr value from_half(const value& v) {
    const value r = impl::declare(w_, 4);
    w_ << "convert_float4(";
    impl::write(w_, v, 4);
    w_ << ')';
    return ended(r);
  }

  template <class F>
  constexpr void loop(const integer& begin, const integer& end, int step, F body) {
    const integer i{w_, w_.names++, -1};
    w_ << "for (int ", impl::write(w_, i), w_ << " = ", impl::write(w_, begin), w_ << "; ";
    impl::write(w_, i), w_ << " < ", impl::write(w_, end), w_ << "; ";
    impl::write(w_, i), w_ << " += " << step << ") {\n";
    body(i);
    w_ << "}\n";
  }
  template <class F>
  constexpr void when(const integer& condition, F body) {
    w_ << "if (", impl::write(w_, condition), w_ << ") {\n";
    body();
    w_ << "}\n";
  }
  template <class F, class G>
  constexpr void when(const integer& condition, F body, G other) {
    w_ << "if (", impl::write(w_, condition), w_ << ") {\n";
    body();
    w_ << "} else {\n";
    other();
    w_ << "}\n";
  }

  /// The prologue of one loaded element, at its place in the input: see target/opencl_epilogue.hpp.
  constexpr value converted(const value& v, const item_place<opencl_machine>& at) {
    const value r = impl::declare(w_, 1);
    w_ << "converted1(", impl::write(w_, v, 1);
    for (const integer* i : {&at.n, &at.h, &at.w, &at.c}) w_ << ", ", impl::write(w_, *i);
    w_ << ", ARGUMENTS)";
    return ended(r);
  }
  /// Columns that an item of an element-wise step computes.
  constexpr int columns() const { return w_.columns; }
  /// The epilogue at a place: see target/opencl_epilogue.hpp. Columns from `end` on are left alone.
  constexpr void finish(const value& v, const item_place<opencl_machine>& at, const integer& end) {
    w_ << "finish" << (v.width == 1 ? 1 : w_.columns) << '(';
    impl::write(w_, v, v.width);
    for (const integer* i : {&at.n, &at.h, &at.w, &at.c}) w_ << ", ", impl::write(w_, *i);
    if (v.width != 1) w_ << ", ", impl::write(w_, end);
    w_ << ", ARGUMENTS);\n";
  }

 private:
  constexpr value ended(const value& v) {
    w_ << ";\n";
    return v;
  }
  constexpr integer named(const text_argument& a) { return {w_, -1, w_.argument_number(a)}; }
  constexpr integer argument(argument_kind k, role r, int axis) {
    return named({k, r, 0, static_cast<std::uint8_t>(axis)});
  }
  constexpr element type_of(role r) const { return r == role::out ? out_ : r == role::weights ? weights_ : in_; }
  constexpr void load_at(role r, int lanes, const integer& i, int more) {
    w_ << "load" << lanes << '_' << (in_half_ ? std::string_view("half") : name_of(type_of(r))) << '(';
    impl::write(w_, named({argument_kind::buffer, r, 0, 0, type_of(r)}));
    w_ << ", ";
    impl::write(w_, named({argument_kind::offset, r}));
    w_ << " + ";
    impl::write(w_, i);
    if (more > 0) w_ << " + " << more;
    w_ << ')';
  }
  constexpr integer pick(std::string_view function, const integer& a, const integer& b) {
    const integer r = impl::declare_int(w_);
    w_ << function, impl::write(w_, a), w_ << ", ", impl::write(w_, b), w_ << ");\n";
    return r;
  }
  kernel_writer& w_;
  element in_, out_, weights_;
  bool in_half_ = false;
};

TKL_ISA_END
}  // namespace tkl
