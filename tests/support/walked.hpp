// SPDX-License-Identifier: Apache-2.0
// Kernels for keys that no compiler has seen: the algorithm is chosen and the expression is walked at run time. So a
// test program covers graphs by the hundred without compiling one.
#pragma once

#include <cstdint>
#include <tkl/exec/work_items.hpp>
#include <tkl/expr/eval.hpp>
#include <type_traits>
#include <utility>

namespace tkl_test {

namespace detail {

template <class V, class F>
V call_walked(const V* x) {
  if constexpr (F::arity == 1) {
    return F::call(x[0]);
  } else if constexpr (F::arity == 2) {
    return F::call(x[0], x[1]);
  } else {
    return F::call(x[0], x[1], x[2]);
  }
}
template <class V, class List>
struct walked_functions;
template <class V, class... F>
struct walked_functions<V, tkl::functor_list<F...>> {
  using function = V (*)(const V*);
  static constexpr function of[sizeof...(F)] = {&call_walked<V, F>...};
};

}  // namespace detail

/// Calls f with the node of a leaf of type T that reads slot v, as tkl::bind makes it.
template <class T, class Slot, class F>
auto with_leaf(tkl::leaf_kind kind, const Slot& v, F f) {
  const T* p = v.template pointer<T>();
  switch (kind) {
    case tkl::leaf_kind::scalar:
      return f(tkl::scalar_node<T>{{}, p});
    case tkl::leaf_kind::channel:
      return f(tkl::channel_node<T>{{}, p});
    case tkl::leaf_kind::row:
      return f(tkl::row_node<T>{{}, p, {v.stride[0], v.stride[1], v.stride[2]}});
    case tkl::leaf_kind::strided:
      return f(tkl::strided_node<T>{{}, p, {v.stride[0], v.stride[1], v.stride[2]}, v.inner});
    default:
      return f(tkl::element_node<T>{{}, p, {v.stride[0], v.stride[1], v.stride[2]}});
  }
}

/// Calls f(a value of the storage type of an element).
template <class F>
auto with_type(tkl::element type, F f) {
  switch (type) {
    case tkl::f16:
      return f(tkl::half{});
    case tkl::bf16:
      return f(tkl::bfloat16{});
    case tkl::i8:
      return f(std::int8_t{});
    case tkl::u8:
      return f(std::uint8_t{});
    case tkl::i32:
      return f(std::int32_t{});
    default:
      return f(float{});
  }
}

/// What eval(bind<code>(values), leaf) gives.
template <class Values, class L>
typename L::value walk(const tkl::expr_code& code, const Values& values, const L& leaf) {
  using V = typename L::value;
  if (code.empty()) return leaf.accumulator();
  V stack[tkl::max_code]{};
  int top = 0, slot = 0;
  for (int i = 0; i < code.size; ++i) {
    const tkl::symbol s = code.at[i];
    if (!s.is_leaf()) {
      top -= s.arity();
      stack[top] = detail::walked_functions<V, tkl::function_list>::of[s.function_index()](stack + top);
      ++top;
      continue;
    }
    const auto& v = values.slot[slot];
    slot += s.has_operand();
    if (s.kind() == tkl::leaf_kind::acc) {
      stack[top++] = leaf.accumulator();
    } else if (s.kind() == tkl::leaf_kind::literal) {
      stack[top++] = leaf.literal(v.value);
    } else if (s.kind() == tkl::leaf_kind::index) {
      stack[top++] = leaf.index(tkl::index_node{{}, static_cast<int>(v.inner)});
    } else {
      stack[top++] = with_type(s.type(), [&](auto element) {
        return with_leaf<decltype(element)>(s.kind(), v, [&](const auto& n) { return eval(n, leaf); });
      });
    }
  }
  return stack[0];
}

/// Whether a code is one operand of the output's type and no more.
inline bool copies_operand(const tkl::kernel_key& k) {
  const tkl::symbol only = k.epilogue.at[0];
  return k.epilogue.size == 1 && only.has_operand() && only.kind() != tkl::leaf_kind::literal &&
         only.kind() != tkl::leaf_kind::index && only.type() == k.out;
}

/// Calls f(std::integral_constant<int, value>) for a value in [0, Count).
template <int Count, class F>
void with_constant(int value, F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (void(value == I && (f(std::integral_constant<int, I>{}), true)), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

/// What tkl::impl::run_item<k, S>(m) does.
template <tkl::work_item_schedule S, class M>
void walk_item(const tkl::kernel_key& k, M& m) {
  using tkl::algorithm;
  switch (k.algorithm) {
    case algorithm::map:
      tkl::map_item(m);
      break;
    case algorithm::conv2d:
      tkl::conv2d_item<S>(m);
      break;
    case algorithm::conv2d_staged:
      tkl::conv2d_staged_item<S>(m);
      break;
    case algorithm::conv_transpose2d:
      tkl::conv_transpose2d_item<S>(m);
      break;
    case algorithm::matmul:
      with_constant<4>(k.variant[0] + 2 * k.variant[1],
                       [&](auto v) { tkl::matmul_item<S, v % 2 != 0, v / 2 != 0>(m); });
      break;
    case algorithm::attention:
      with_constant<2>(k.variant[0], [&](auto v) { tkl::attention_item<v != 0>(m); });
      break;
    case algorithm::depthwise:
      if (k.variant[1] == 0) {
        tkl::depthwise_item<S, 0, 0>(m);
      } else {
        with_constant<4>(k.variant[1] / 2 - 1 + 2 * (k.variant[2] - 1),
                         [&](auto v) { tkl::depthwise_item<S, v % 2 == 0 ? 3 : 5, 1 + v / 2>(m); });
      }
      break;
    case algorithm::pool2d:
      with_constant<2>(k.variant[0], [&](auto v) { tkl::pool2d_item<static_cast<tkl::pool_kind>(v())>(m); });
      break;
    case algorithm::softmax:
      with_constant<2>(k.variant[0], [&](auto v) { tkl::softmax_item<static_cast<tkl::softmax_kind>(v())>(m); });
      break;
    case algorithm::resize2d:
      with_constant<2>(k.variant[0], [&](auto v) { tkl::resize2d_item<static_cast<tkl::resize_kind>(v())>(m); });
      break;
    case algorithm::layer_norm:
      tkl::layer_norm_item(m);
      break;
    case algorithm::pad:
      tkl::pad_item(m);
      break;
    case algorithm::reduce:
      with_constant<16>(k.variant[1], [&](auto axes) {
        if constexpr (axes != 0) {
          if (tkl::stores_indices(k)) return tkl::argmax_item<axes>(m);
          with_constant<4>(k.variant[0],
                           [&](auto v) { tkl::reduce_item<static_cast<tkl::reduce_kind>(v()), unsigned{axes}>(m); });
        }
      });
      break;
    default:
      break;
  }
}

}  // namespace tkl_test
