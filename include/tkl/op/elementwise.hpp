// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of graph values: every function object of expr/functions.hpp builds a node of kind map when an
// argument is a graph value. Numbers become literals. Operands broadcast by the NumPy rule and have one floating type.
#pragma once

#include <concepts>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/expr/real_functions.hpp>
#include <tkl/op/build.hpp>
#include <tkl/op/definition.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

/// Shape rule of a map: the operands broadcast together.
TKL_TAGGED constexpr shape_or_complaint map_rule(const shape* operands, int count) {
  shape out = operands[0];
  for (int i = 1; i < count; ++i) {
    const broadcast_result r = broadcast(out, operands[i]);
    if (!r.compatible) {
      complaint c;
      c << "shapes " << out << " and " << operands[i] << " do not broadcast";
      for (int back = 0; back < r.out.rank; ++back) {
        const std::int64_t x = out.back(back), y = operands[i].back(back);
        if (x == y || x == 1 || y == 1) continue;
        c << ": axis " << r.out.rank - 1 - back << " has " << x << " and " << y;
        break;
      }
      return complain(c);
    }
    out = r.out;
  }
  return checked_shape(out);
}

namespace detail {

template <class A>
concept map_argument = std::same_as<A, value> || std::is_arithmetic_v<A>;

constexpr tkl::graph* owner_of(value v) {
  return v.owner;
}
template <class N>
requires std::is_arithmetic_v<N>
constexpr tkl::graph* owner_of(N) {
  return nullptr;
}

constexpr value as_value(value v, graph*) {
  return v;
}
template <class N>
requires std::is_arithmetic_v<N>
constexpr value as_value(N number, graph* g) {
  return g == nullptr ? value{} : g->literal(static_cast<double>(number));
}

/// Adds a map node. Literals take the type of the other operands.
constexpr value map_node(std::string_view name, int function, const value* operands, int count) {
  node_builder b(name, op_kind::map, operands, count);
  if (b.silent) return b.none();
  shape shapes[3]{};
  element type = element::f32;
  int typed = -1;
  for (int i = 0; i < count; ++i) {
    const node& n = *operands[i];
    shapes[i] = n.shape;
    if (n.kind == op_kind::literal) continue;
    if (typed >= 0 && n.type == type) continue;
    complaint c;
    if (!is_floating(n.type))
      c << "operand " << i << " is " << name_of(n.type) << ", needs f32, f16 or bf16: cast it first";
    else if (typed >= 0)
      c << "operand " << typed << " is " << name_of(type) << ", operand " << i << " is " << name_of(n.type)
        << ": cast one of them";
    if (!c.empty()) return b.fail(c);
    type = n.type;
    typed = i;
  }
  b.made.attr.function = function;
  return b.finish(type, map_rule(shapes, count));
}

}  // namespace detail

/// Function objects applied to graph values, or to graph values and numbers.
template <class F, class... A>
requires((... || std::same_as<A, value>)) struct application<F, A...> {
  static_assert((... && detail::map_argument<A>),
                "an element-wise function of graph values takes graph values and numbers");
  static constexpr value make(A... a) {
    graph* g = nullptr;
    ((g = g == nullptr ? detail::owner_of(a) : g), ...);
    const value operands[] = {detail::as_value(a, g)...};
    return detail::map_node(F::name, function_index<F>, operands, static_cast<int>(sizeof...(A)));
  }
};

// Operators: value with value, value with number, number with value.
template <class A, class B>
concept graph_operands = (std::same_as<A, value> && detail::map_argument<B>) ||
                         (std::same_as<B, value> && detail::map_argument<A>);

template <class A, class B>
requires graph_operands<A, B>
constexpr value operator+(A a, B b) {
  return add(a, b);
}
template <class A, class B>
requires graph_operands<A, B>
constexpr value operator-(A a, B b) {
  return sub(a, b);
}
template <class A, class B>
requires graph_operands<A, B>
constexpr value operator*(A a, B b) {
  return mul(a, b);
}
template <class A, class B>
requires graph_operands<A, B>
constexpr value operator/(A a, B b) {
  return div(a, b);
}
constexpr value operator-(value a) {
  return neg(a);
}

TKL_ISA_BEGIN

/// y = function(operands), each broadcast to y's shape. A template, so that only its callers compile all functions.
template <std::uint64_t Mask = all_functions>
void map_definition(const real_input* operands, int count, real_output y, const attributes& attr) {
  const broadcast_strides a(operands[0].shape, y.shape);
  const broadcast_strides b(count > 1 ? operands[1].shape : shape{}, y.shape);
  const broadcast_strides c(count > 2 ? operands[2].shape : shape{}, y.shape);
  const std::int64_t elements = y.shape.elements().value;
  const real_function function = real_functions<Mask>[attr.function];
  place_counter place{y.shape};
  for (std::int64_t i = 0; i < elements; ++i, place.next()) {
    const double x[] = {operands[0].data[a.offset(place)], count > 1 ? operands[1].data[b.offset(place)] : 0.0,
                        count > 2 ? operands[2].data[c.offset(place)] : 0.0};
    y.data[i] = function(x);
  }
}

TKL_ISA_END
}  // namespace tkl
