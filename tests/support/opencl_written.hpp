// SPDX-License-Identifier: Apache-2.0
// Kernel texts written at run time, from keys that no compiler has seen: the functions that write are the library's,
// the expression is walked as data. So a test program covers graphs by the hundred without compiling one.
#pragma once

#include <cstdint>
#include <memory>
#include <tkl/exec/opencl_text_of.hpp>
#include <type_traits>
#include <utility>

namespace tkl_test {

/// An expression that is looked up while it is written.
struct written_expression : tkl::expression_base {
  tkl::expr_code code{};
};

namespace detail {

using text_function = tkl::text_value (*)(const tkl::text_value*);
template <class F>
tkl::text_value call_in_text(const tkl::text_value* x) {
  if constexpr (F::arity == 1) {
    return F::call(x[0]);
  } else if constexpr (F::arity == 2) {
    return F::call(x[0], x[1]);
  } else {
    return F::call(x[0], x[1], x[2]);
  }
}
template <class List>
struct text_functions;
template <class... F>
struct text_functions<tkl::functor_list<F...>> {
  static constexpr text_function of[sizeof...(F)] = {&call_in_text<F>...};
};

/// Calls f with the node of a leaf whose operand is slot `slot`.
template <class T, class F>
auto with_leaf(tkl::leaf_kind kind, int slot, F f) {
  const T* p = tkl::slot_address<T> + slot;
  switch (kind) {
    case tkl::leaf_kind::scalar:
      return f(tkl::scalar_node<T>{{}, p});
    case tkl::leaf_kind::channel:
      return f(tkl::channel_node<T>{{}, p});
    case tkl::leaf_kind::row:
      return f(tkl::row_node<T>{{}, p, {}});
    case tkl::leaf_kind::strided:
      return f(tkl::strided_node<T>{{}, p, {}, slot});
    default:
      return f(tkl::element_node<T>{{}, p, {}});
  }
}
template <class F>
auto with_leaf(tkl::symbol s, int slot, F f) {
  switch (s.type()) {
    case tkl::f16:
      return with_leaf<tkl::half>(s.kind(), slot, f);
    case tkl::bf16:
      return with_leaf<tkl::bfloat16>(s.kind(), slot, f);
    case tkl::i8:
      return with_leaf<std::int8_t>(s.kind(), slot, f);
    case tkl::u8:
      return with_leaf<std::uint8_t>(s.kind(), slot, f);
    case tkl::i32:
      return with_leaf<std::int32_t>(s.kind(), slot, f);
    default:
      return with_leaf<float>(s.kind(), slot, f);
  }
}

/// Calls f(std::integral_constant<int, value>) for a value in [0, Count).
template <int Count, class F>
void with_constant(int value, F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (void(value == I && (f(std::integral_constant<int, I>{}), true)), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

}  // namespace detail

template <class L>
tkl::text_value eval(const written_expression& e, const L& leaf) {
  if (e.code.empty()) return leaf.accumulator();
  tkl::text_value stack[tkl::max_code]{};
  int top = 0, slot = 0;
  for (int i = 0; i < e.code.size; ++i) {
    const tkl::symbol s = e.code.at[i];
    if (!s.is_leaf()) {
      top -= s.arity();
      stack[top] = detail::text_functions<tkl::function_list>::of[s.function_index()](stack + top);
      ++top;
      continue;
    }
    const int own = slot;
    slot += s.has_operand();
    if (s.kind() == tkl::leaf_kind::acc) {
      stack[top++] = leaf.accumulator();
    } else if (s.kind() == tkl::leaf_kind::literal) {
      stack[top++] = leaf.literal(static_cast<float>(own));
    } else if (s.kind() == tkl::leaf_kind::index) {
      stack[top++] = leaf.index(tkl::index_node{{}, own});
    } else {
      stack[top++] = detail::with_leaf(s, own, [&](const auto& n) { return eval(n, leaf); });
    }
  }
  return stack[0];
}

/// The kernel of a key, as write_kernel<K, S> writes it.
template <tkl::work_item_schedule S>
std::unique_ptr<tkl::kernel_writer> written_kernel(const tkl::kernel_key& k) {
  using tkl::algorithm;
  auto w = std::make_unique<tkl::kernel_writer>();
  tkl::opencl_machine m(*w, k.in, k.out, k.weights);
  const auto reduction = static_cast<tkl::reduce_kind>(k.variant[0]);
  const bool index = k.algorithm == algorithm::reduce && reduction == tkl::reduce_kind::argmax;
  const bool apart = k.algorithm == algorithm::map && k.variant[0] != 0;
  if (k.algorithm == algorithm::conv2d_staged)
    tkl::opencl_epilogue(*w, k.out, tkl::role::prologue).write_prologue(written_expression{{}, k.prologue});
  const tkl::symbol only = k.epilogue.at[0];
  const bool copies = k.epilogue.size == 1 && only.has_operand() && only.kind() != tkl::leaf_kind::literal &&
                      only.kind() != tkl::leaf_kind::index && only.type() == k.out;
  if (copies) {
    detail::with_leaf(only, 0, [&](const auto& n) { return tkl::opencl_epilogue(*w, k.out).write(n, true, apart), 0; });
  } else if (!index) {
    tkl::opencl_epilogue(*w, k.out).write(written_expression{{}, k.epilogue}, false, apart);
  }
  *w << "__kernel void " << name_of(k.algorithm) << "(PARAMETERS) {\n";
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
      detail::with_constant<4>(k.variant[0] + 2 * k.variant[1],
                               [&](auto v) { tkl::matmul_item<S, v % 2 != 0, v / 2 != 0>(m); });
      break;
    case algorithm::attention:
      detail::with_constant<2>(k.variant[0], [&](auto v) { tkl::attention_item<v != 0>(m); });
      break;
    case algorithm::depthwise:
      if (k.variant[1] == 0) {
        tkl::depthwise_item<S, 0, 0>(m);
      } else {
        detail::with_constant<4>(k.variant[1] / 2 - 1 + 2 * (k.variant[2] - 1),
                                 [&](auto v) { tkl::depthwise_item<S, v % 2 == 0 ? 3 : 5, 1 + v / 2>(m); });
      }
      break;
    case algorithm::pool2d:
      detail::with_constant<2>(k.variant[0], [&](auto v) { tkl::pool2d_item<static_cast<tkl::pool_kind>(v())>(m); });
      break;
    case algorithm::softmax:
      detail::with_constant<2>(k.variant[0],
                               [&](auto v) { tkl::softmax_item<static_cast<tkl::softmax_kind>(v())>(m); });
      break;
    case algorithm::resize2d:
      detail::with_constant<2>(k.variant[0],
                               [&](auto v) { tkl::resize2d_item<static_cast<tkl::resize_kind>(v())>(m); });
      break;
    case algorithm::layer_norm:
      tkl::layer_norm_item(m);
      break;
    case algorithm::pad:
      tkl::pad_item(m);
      break;
    case algorithm::reduce:
      detail::with_constant<16>(k.variant[1], [&](auto axes) {
        if constexpr (axes != 0) {
          if (index) return tkl::argmax_item<axes>(m);
          detail::with_constant<4>(
              k.variant[0], [&](auto v) { tkl::reduce_item<static_cast<tkl::reduce_kind>(v()), unsigned{axes}>(m); });
        }
      });
      break;
    default:
      break;
  }
  *w << "}\n";
  return w;
}

}  // namespace tkl_test
