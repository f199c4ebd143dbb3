// SPDX-License-Identifier: Apache-2.0
// The machine of work items that writes OpenCL C 1.2: the algorithms of algo/work_item run on it once, and what they would
// have done stands in its text.
//
// A kernel is two small functions and a body. `finish4` and `finish1` are the epilogue for a vector and for one column,
// written once; the body calls them with its accumulators. Extents, strides and offsets are arguments. There is no
// array, no local memory and no barrier in any text.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/code.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/target/opencl_text.hpp>

namespace tkl {

/// Stands for the operands of a text: the k-th address of these means slot k.
template <class T>
inline constexpr T slot_address[max_operands + 1]{};

/// What bind() reads where operands are names: every number of a slot is the slot's own.
struct slot_name {
  int number = 0;
  std::int64_t stride[3]{};
  std::int64_t inner = 0;
  float value = 0;
  template <class T>
  constexpr const T* pointer() const {
    return slot_address<T> + number;
  }
};
struct slot_names {
  slot_name slot[max_operands]{};
  constexpr slot_names() {
    for (int i = 0; i < max_operands; ++i) slot[i] = {i, {}, i, static_cast<float>(i)};
  }
};

TKL_ISA_BEGIN

class opencl_machine {
 public:
  using value = text_value;
  using integer = text_int;
  static constexpr int width = item_width;

  constexpr opencl_machine(kernel_writer& w, element in, element out) : w_(w), in_(in), out_(out) {}

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

  // Memory.
  constexpr value load(role r, const integer& i) {
    const value v = impl::declare(w_, 4);
    load_at(r, 4, i, 0);
    return ended(v);
  }
  /// The first `lanes` lanes, zeros in the others; `lanes` may be more than the width.
  constexpr value load(role r, const integer& i, const integer& lanes) {
    const value v = impl::declare(w_, 4);
    impl::write(w_, lanes);
    w_ << " >= 4 ? ";
    load_at(r, 4, i, 0);
    w_ << " : (F4)(";
    for (int l = 0; l < 3; ++l) {
      if (l > 0) impl::write(w_, lanes), w_ << " > " << l << " ? ";
      load_at(r, 1, i, l);
      w_ << (l > 0 ? " : 0.0f, " : ", ");
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
  /// Sources of a resize, see algo/work_item/resize2d.hpp.
  constexpr integer table_low(const integer& i) { return table(i, 0); }
  constexpr integer table_high(const integer& i) { return table(i, 1); }
  constexpr value table_weight(const integer& i) {
    const integer bits = table(i, 2);
    const value v = impl::declare(w_, 1);
    w_ << "as_float(";
    impl::write(w_, bits);
    w_ << ')';
    return ended(v);
  }
  constexpr void store_index(const integer& i, const integer& number) {
    write_buffer(role::out, 0, out_);
    w_ << '[';
    write_offset(role::out, 0, out_);
    w_ << " + ";
    impl::write(w_, i);
    w_ << "] = ";
    impl::write(w_, number);
    w_ << ";\n";
  }

  // Lanes.
  constexpr value splat(const value& v) {
    if (v.width != 1) return v;
    const value r = impl::declare(w_, 4);
    w_ << "(F4)(";
    impl::write(w_, v, 1);
    w_ << ')';
    return ended(r);
  }
  constexpr value lane(const value& v, int k) {
    const value r = impl::declare(w_, 1);
    impl::write(w_, v, 4);
    w_ << ".s" << k;
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
    const value r = impl::declare(w_, lanes);
    impl::write(w_, condition);
    w_ << " ? ";
    impl::write(w_, a, lanes);
    w_ << " : ";
    impl::write(w_, b, lanes);
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
    w_ << " = FMA(";
    impl::write(w_, a, 4), w_ << ", ";
    impl::write(w_, b, 4), w_ << ", ";
    impl::write(w_, d, 4), w_ << ");\n";
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

  /// The epilogue at a place: see write_finish. Columns from `end` on are left alone.
  constexpr void finish(const value& v, const item_place<opencl_machine>& at, const integer& end) {
    w_ << (v.width == 1 ? "finish1(" : "finish4(");
    impl::write(w_, v, v.width);
    for (const integer* i : {&at.n, &at.h, &at.w, &at.c}) w_ << ", ", impl::write(w_, *i);
    if (v.width != 1) w_ << ", ", impl::write(w_, end);
    w_ << ", ARGUMENTS);\n";
  }

  /// Leaf policy of expr/eval.hpp inside of the finish functions, whose place is called n, h, w, c.
  struct leaf {
    using value = text_value;
    opencl_machine* m;
    int lanes;

    constexpr value accumulator() const { return {m->w_, -1, lanes}; }
    constexpr value literal(float slot) const {
      const integer a = m->named({argument_kind::literal, role::operand, static_cast<std::uint8_t>(slot)});
      return m->number_of(a, lanes);
    }
    template <class T>
    constexpr value scalar(const scalar_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, false, false, 0);
    }
    template <class T>
    constexpr value channel(const channel_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, true, false, 1);
    }
    template <class T>
    constexpr value element(const element_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, true, true, 1);
    }
    template <class T>
    constexpr value row(const row_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, false, true, 0);
    }
    template <class T>
    constexpr value strided(const strided_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, true, true, 2);
    }
    constexpr value index(const index_node& n) const {
      const integer axis = m->named({argument_kind::axis, role::operand, static_cast<std::uint8_t>(n.axis)});
      const value v = impl::declare(m->w_, lanes);
      for (int l = 0; l < lanes; ++l) {
        m->w_ << (lanes == 1 ? "" : l == 0 ? "(F4)(" : ", ") << "(float)INDEX(";
        impl::write(m->w_, axis);
        m->w_ << ", n, h, w, c + " << l << ')';
      }
      m->w_ << (lanes == 1 ? "" : ")");
      return m->ended(v);
    }

   private:
    template <class N>
    static constexpr int slot_of(const N& n) {
      using T = std::remove_cvref_t<decltype(*n.data)>;
      return static_cast<int>(n.data - slot_address<T>);
    }
  };

  /// The functions finish1 and finish4 for an epilogue. `copies`: it is one operand of the output's type and no more,
  /// whose bits are copied. `far_columns`: the output's columns are apart.
  template <class E>
  constexpr void write_finish(const E& epilogue, bool copies, bool far_columns) {
    w_ << "static void finish1(const float v, const int n, const int h, const int w, const int c, PARAMETERS) {\n";
    if (copies && out_ != element::f32) {
      copy_bits(slot_of_leaf(epilogue), far_columns);
    } else {
      store(eval(epilogue, leaf{this, 1}), 1, far_columns);
    }
    w_ << "}\nstatic void finish4(const F4 v, const int n, const int h, const int w, const int c, const int end, "
          "PARAMETERS) {\n";
    if (!copies || out_ == element::f32) {
      w_ << "if (c + 4 <= end) {\n";
      store(eval(epilogue, leaf{this, 4}), 4, far_columns);
      w_ << "return;\n}\n";
    }
    w_ << "finish1(v.s0, n, h, w, c, ARGUMENTS);\n";
    for (int l = 1; l < item_width; ++l)
      w_ << "if (c + " << l << " < end) finish1(v.s" << l << ", n, h, w, c + " << l << ", ARGUMENTS);\n";
    w_ << "}\n";
  }

 private:
  constexpr value ended(const value& v) {
    w_ << ";\n";
    return v;
  }
  constexpr integer named(const text_argument& a) { return {w_, -1, w_.argument_number(a)}; }
  constexpr integer argument(argument_kind k, role r, int axis, int slot = 0) {
    return named({k, r, static_cast<std::uint8_t>(slot), static_cast<std::uint8_t>(axis)});
  }
  constexpr element type_of(role r) const { return r == role::in ? in_ : r == role::out ? out_ : element::f32; }
  constexpr void write_buffer(role r, int slot, element type) {
    impl::write(w_, named({argument_kind::buffer, r, static_cast<std::uint8_t>(slot), 0, type}));
  }
  constexpr void write_offset(role r, int slot, element type) {
    impl::write(w_, named({argument_kind::offset, r, static_cast<std::uint8_t>(slot), 0, type}));
  }
  constexpr void load_at(role r, int lanes, const integer& i, int more) {
    w_ << "load" << lanes << '_' << name_of(type_of(r)) << '(';
    write_buffer(r, 0, type_of(r));
    w_ << ", ";
    write_offset(r, 0, type_of(r));
    w_ << " + ";
    impl::write(w_, i);
    if (more > 0) w_ << " + " << more;
    w_ << ')';
  }
  constexpr integer table(const integer& i, int field) {
    const integer at = named({argument_kind::table_at});
    const integer buffer = named({argument_kind::tables});
    const integer r = impl::declare_int(w_);
    impl::write(w_, buffer), w_ << '[', impl::write(w_, at), w_ << " + 3 * ";
    impl::write(w_, i), w_ << " + " << field << "];\n";
    return r;
  }
  constexpr integer pick(std::string_view function, const integer& a, const integer& b) {
    const integer r = impl::declare_int(w_);
    w_ << function, impl::write(w_, a), w_ << ", ", impl::write(w_, b), w_ << ");\n";
    return r;
  }
  constexpr value number_of(const integer& a, int lanes) {
    const value v = impl::declare(w_, lanes);
    w_ << (lanes == 4 ? "(F4)(" : "("), impl::write(w_, a), w_ << ')';
    return ended(v);
  }
  /// " + n * stride0 + ..." of a tensor, and c, where it varies along them.
  constexpr void write_place(role r, int slot, bool outer, int columns, int more) {
    if (outer) {
      constexpr std::string_view names[] = {" + n * ", " + h * ", " + w * "};
      for (int i = 0; i < 3; ++i) w_ << names[i], impl::write(w_, argument(argument_kind::stride, r, i, slot));
    }
    if (columns == 0) return;
    w_ << (more > 0 ? " + (c + " : " + c");
    if (more > 0) w_ << more << ')';
    if (columns == 2) w_ << " * ", impl::write(w_, argument(argument_kind::stride, r, 3, slot));
  }
  /// An operand of the epilogue. `columns`: 0 the same for all, 1 one after the other, 2 apart.
  template <class T>
  constexpr value operand(int slot, int lanes, bool varies, bool outer, int columns) {
    const value v = impl::declare(w_, lanes);
    const bool vector = lanes == 4 && varies && columns == 1, each = lanes == 4 && columns == 2;
    const auto one = [&](int more) {
      w_ << (vector ? "load4_" : "load1_") << name_of(element_of<T>) << '(';
      write_buffer(role::operand, slot, element_of<T>);
      w_ << ", ";
      write_offset(role::operand, slot, element_of<T>);
      write_place(role::operand, slot, outer, columns, more);
      w_ << ')';
    };
    if (lanes == 4 && !vector) w_ << "(F4)(";
    one(0);
    for (int l = 1; each && l < item_width; ++l) w_ << ", ", one(l);
    if (lanes == 4 && !vector) w_ << ')';
    return ended(v);
  }
  constexpr void store(const value& v, int lanes, bool far_columns) {
    for (int l = 0; l < (far_columns ? lanes : 1); ++l) {
      w_ << (lanes == 1 || far_columns ? "store1_" : "store4_") << name_of(out_) << '(';
      impl::write(w_, v, lanes);
      if (lanes == 4 && far_columns) w_ << ".s" << l;
      w_ << ", ";
      write_buffer(role::out, 0, out_);
      w_ << ", ";
      write_offset(role::out, 0, out_);
      write_place(role::out, 0, true, far_columns ? 2 : 1, l);
      w_ << ");\n";
    }
  }
  /// y = operand, whatever the bits mean.
  struct leaf_place {
    int slot = 0;
    bool outer = false;
    int columns = 0;
  };
  template <class E>
  static constexpr leaf_place slot_of_leaf(const E&) {
    return {};
  }
  template <class T>
  static constexpr leaf_place slot_of_leaf(const channel_node<T>&) {
    return {0, false, 1};
  }
  template <class T>
  static constexpr leaf_place slot_of_leaf(const element_node<T>&) {
    return {0, true, 1};
  }
  template <class T>
  static constexpr leaf_place slot_of_leaf(const row_node<T>&) {
    return {0, true, 0};
  }
  template <class T>
  static constexpr leaf_place slot_of_leaf(const strided_node<T>&) {
    return {0, true, 2};
  }
  constexpr void copy_bits(const leaf_place& from, bool far_columns) {
    const std::string_view word = size_of(out_) == 4 ? "uint" : size_of(out_) == 2 ? "ushort" : "uchar";
    w_ << "((__global " << word << "*)";
    write_buffer(role::out, 0, out_);
    w_ << ")[";
    write_offset(role::out, 0, out_);
    write_place(role::out, 0, true, far_columns ? 2 : 1, 0);
    w_ << "] = ((__global const " << word << "*)";
    write_buffer(role::operand, from.slot, out_);
    w_ << ")[";
    write_offset(role::operand, from.slot, out_);
    write_place(role::operand, from.slot, from.outer, from.columns, 0);
    w_ << "];\n";
  }

  kernel_writer& w_;
  element in_, out_;
};

TKL_ISA_END
}  // namespace tkl
