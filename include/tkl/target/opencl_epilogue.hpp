// SPDX-License-Identifier: Apache-2.0
// The epilogue of a kernel as functions in its text: finish4 for a vector of columns, finish1 for one column, and
// finish8 for element-wise steps in half precision; and its prologue as one, converted1. They are written once, however
// often the body calls them, by the same eval() that every machine uses.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/code.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/target/opencl_text.hpp>
#include <type_traits>

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

class opencl_epilogue {
 public:
  using value = text_value;
  using integer = text_int;

  /// `operands`: whose slots the expression reads.
  constexpr opencl_epilogue(kernel_writer& w, element out, role operands = role::operand)
      : w_(w), out_(out), operands_(operands) {}

  /// The functions finish1 and finish4 for an epilogue, finish8 where an item has eight columns. `copies`: it is one
  /// operand of the output's type and no more, whose bits are copied. `far_columns`: the output's columns are apart.
  template <class E>
  constexpr void write(const E& epilogue, bool copies, bool far_columns) {
    w_ << "static void finish1(const float v, const int n, const int h, const int w, const int c, PARAMETERS) {\n";
    if (copies && out_ != element::f32) {
      copy_bits(slot_of_leaf(epilogue), far_columns);
    } else {
      // Values of half precision are vectors, here of one column four times over.
      store(eval(epilogue, leaf{this, w_.half ? item_width : 1, true}), 1, far_columns);
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
    if (w_.columns == 8) write_eight(epilogue);
  }

  /// The function converted1 for a prologue: one element of the input at its place.
  template <class E>
  constexpr void write_prologue(const E& prologue) {
    w_ << "static float converted1(const float v, const int n, const int h, const int w, const int c, PARAMETERS) {\n";
    const value v = eval(prologue, leaf{this, 1});
    w_ << "return ", impl::write(w_, v, 1), w_ << ";\n}\n";
  }

  /// Leaf policy of expr/eval.hpp inside of the finish functions, whose place is called n, h, w, c.
  struct leaf {
    using value = text_value;
    opencl_epilogue* m;
    int lanes;
    bool same = false;  // the lanes stand for the same column

    constexpr value accumulator() const { return {m->w_, -1, lanes}; }
    constexpr value literal(float slot) const {
      const integer a = m->named({argument_kind::literal, m->operands_, static_cast<std::uint8_t>(slot)});
      return m->number_of(a, lanes);
    }
    template <class T>
    constexpr value scalar(const scalar_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, false, false, 0);
    }
    template <class T>
    constexpr value channel(const channel_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, !same, false, 1);
    }
    template <class T>
    constexpr value element(const element_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, !same, true, 1);
    }
    template <class T>
    constexpr value row(const row_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, false, true, 0);
    }
    template <class T>
    constexpr value strided(const strided_node<T>& n) const {
      return m->operand<T>(slot_of(n), lanes, !same, true, 2);
    }
    constexpr value index(const index_node& n) const {
      const integer axis = m->named({argument_kind::axis, m->operands_, static_cast<std::uint8_t>(n.axis)});
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

 private:
  constexpr value ended(const value& v) {
    w_ << ";\n";
    return v;
  }
  /// Element-wise steps have no accumulator: v is handed on unread.
  template <class E>
  constexpr void write_eight(const E& epilogue) {
    w_ << "static void finish8(const F4 v, const int n, const int h, const int w, const int c, const int end, "
          "PARAMETERS) {\nif (c + 8 <= end) {\n";
    store(eval(epilogue, leaf{this, 8}), 8, false);
    w_ << "return;\n}\nfinish4(v, n, h, w, c, end, ARGUMENTS);\n"
          "if (c + 4 < end) finish4(v, n, h, w, c + 4, end, ARGUMENTS);\n}\n";
  }
  constexpr integer named(const text_argument& a) { return {w_, -1, w_.argument_number(a)}; }
  constexpr integer argument(argument_kind k, role r, int axis, int slot) {
    return named({k, r, static_cast<std::uint8_t>(slot), static_cast<std::uint8_t>(axis)});
  }
  constexpr void write_buffer(role r, int slot, element type) {
    impl::write(w_, named({argument_kind::buffer, r, static_cast<std::uint8_t>(slot), 0, type}));
  }
  constexpr void write_offset(role r, int slot) {
    impl::write(w_, named({argument_kind::offset, r, static_cast<std::uint8_t>(slot)}));
  }
  constexpr value number_of(const integer& a, int lanes) {
    const value v = impl::declare(w_, lanes, false, w_.half);
    if (lanes > 1) write_vector_type(lanes);
    w_ << (w_.half ? "((half)" : "("), impl::write(w_, a), w_ << ')';
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
  constexpr void write_vector_type(int lanes) { w_ << '(' << impl::type_word(lanes, w_.half) << ')'; }
  /// An operand of the epilogue. `columns`: 0 the same for all, 1 one after the other, 2 apart. `varies`: from lane to
  /// lane, where it is not the same for all.
  template <class T>
  constexpr value operand(int slot, int lanes, bool varies, bool outer, int columns) {
    const value v = impl::declare(w_, lanes, false, w_.half);
    const bool vector = lanes > 1 && varies && columns == 1, each = lanes > 1 && varies && columns == 2;
    const bool rounds = w_.half && element_of<T> != element::f16;
    const auto one = [&](int more) {
      if (rounds && vector) w_ << "convert_half" << lanes << '(';
      if (rounds && !vector) w_ << "(half)(";
      w_ << "load" << (vector ? lanes : 1) << '_'
         << (w_.half && !rounds ? std::string_view("half") : name_of(element_of<T>)) << '(';
      write_buffer(operands_, slot, element_of<T>);
      w_ << ", ";
      write_offset(operands_, slot);
      write_place(operands_, slot, outer, columns, more);
      w_ << (rounds ? "))" : ")");
    };
    if (lanes > 1 && !vector) write_vector_type(lanes), w_ << '(';
    one(0);
    for (int l = 1; each && l < lanes; ++l) w_ << ", ", one(l);
    if (lanes > 1 && !vector) w_ << ')';
    return ended(v);
  }
  constexpr void store(const value& v, int lanes, bool far_columns) {
    for (int l = 0; l < (far_columns ? lanes : 1); ++l) {
      w_ << "store" << (far_columns ? 1 : lanes) << '_' << (v.half ? std::string_view("half") : name_of(out_)) << '(';
      impl::write(w_, v, lanes);
      if (v.width > 1 && (lanes == 1 || far_columns)) w_ << ".s" << l;
      w_ << ", ";
      write_buffer(role::out, 0, out_);
      w_ << ", ";
      write_offset(role::out, 0);
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
    write_offset(role::out, 0);
    write_place(role::out, 0, true, far_columns ? 2 : 1, 0);
    w_ << "] = ((__global const " << word << "*)";
    write_buffer(role::operand, from.slot, out_);
    w_ << ")[";
    write_offset(role::operand, from.slot);
    write_place(role::operand, from.slot, from.outer, from.columns, 0);
    w_ << "];\n";
  }

  kernel_writer& w_;
  element out_;
  role operands_;
};

TKL_ISA_END
}  // namespace tkl
