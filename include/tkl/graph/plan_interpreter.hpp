// SPDX-License-Identifier: Apache-2.0
// The planned program on the reference machine, step by step inside its arena: the oracle of the passes, and a
// debugger.
//
// The same algorithms run, in double precision, on the plan's own edges; expressions are evaluated at run time from
// their codes. Between edges values are rounded to the storage type, as on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tkl/exec/executor.hpp>
#include <tkl/exec/kernels.hpp>
#include <tkl/exec/packed_weights.hpp>
#include <tkl/expr/real_functions.hpp>
#include <tkl/graph/program.hpp>
#include <tkl/target/reference.hpp>

namespace tkl {

namespace arch {
/// The reference machine as an architecture: one lane, small tiles that do not divide anything.
struct reference {
  static constexpr std::string_view name = "reference";
  static constexpr int registers = 16;
  static constexpr int width_f32 = 1;
  static constexpr cache_sizes cache{};
  static constexpr gemm_schedule gemm{3, 2, 16, 9, 8};
  static constexpr conv_schedule conv{3, 2, 16, 9, 2};
  static constexpr attention_schedule attention{};
  static constexpr int depthwise_tile = 4;
};
}  // namespace arch

TKL_ISA_BEGIN

/// An expression that is looked up when it is evaluated.
struct interpreted_node : expression_base {
  const expr_code* code = nullptr;  // empty: the accumulator
  operand_values values{};
};

namespace impl {

/// Reads a leaf of the code with the policy of the machine.
template <class T, class L>
double read_leaf(leaf_kind kind, const operand_value& v, const L& leaf) {
  const T* p = static_cast<const T*>(v.data);
  switch (kind) {
    case leaf_kind::scalar:
      return leaf.scalar(scalar_node<T>{{}, p});
    case leaf_kind::channel:
      return leaf.channel(channel_node<T>{{}, p});
    case leaf_kind::element:
      return leaf.element(element_node<T>{{}, p, {v.stride[0], v.stride[1], v.stride[2]}});
    case leaf_kind::row:
      return leaf.row(row_node<T>{{}, p, {v.stride[0], v.stride[1], v.stride[2]}});
    case leaf_kind::strided:
      return leaf.strided(strided_node<T>{{}, p, {v.stride[0], v.stride[1], v.stride[2]}, v.inner});
    default:
      return 0;
  }
}

}  // namespace impl

template <class L>
double eval(const interpreted_node& n, const L& leaf) {
  if (n.code->empty()) return leaf.accumulator();
  double stack[max_code]{};
  int top = 0, slot = 0;
  for (int i = 0; i < n.code->size; ++i) {
    const symbol s = n.code->at[i];
    if (!s.is_leaf()) {
      top -= s.arity();
      stack[top] = real_functions<>[s.function_index()](stack + top);
      ++top;
      continue;
    }
    const operand_value& v = n.values.slot[slot];
    slot += s.has_operand();
    double x = 0;
    if (s.kind() == leaf_kind::acc) {
      x = leaf.accumulator();
    } else if (s.kind() == leaf_kind::literal) {
      x = leaf.literal(v.value);
    } else if (s.kind() == leaf_kind::index) {
      x = leaf.index(index_node{{}, static_cast<int>(v.inner)});
    } else {
      switch (s.type()) {
        case element::f32:
          x = impl::read_leaf<float>(s.kind(), v, leaf);
          break;
        case element::f16:
          x = impl::read_leaf<half>(s.kind(), v, leaf);
          break;
        case element::bf16:
          x = impl::read_leaf<bfloat16>(s.kind(), v, leaf);
          break;
        case element::i8:
          x = impl::read_leaf<std::int8_t>(s.kind(), v, leaf);
          break;
        case element::u8:
          x = impl::read_leaf<std::uint8_t>(s.kind(), v, leaf);
          break;
        case element::i32:
          x = impl::read_leaf<std::int32_t>(s.kind(), v, leaf);
          break;
      }
    }
    stack[top++] = x;
  }
  return stack[0];
}

/// A run whose steps carry their kernel key along.
struct interpreted_context : run_context<serial> {
  const kernel_key* key = nullptr;
  const kernel_key* stage_keys = nullptr;
};
template <kernel_key K>
interpreted_node epilogue_of(const step& s, const interpreted_context& c) {
  return {{}, &c.key->epilogue, operands_of(c.key->epilogue, s.operand, s.literal, c)};
}
template <kernel_key K>
interpreted_node prologue_of(const step& s, const interpreted_context& c) {
  return {{}, &c.key->prologue, operands_of(c.key->prologue, s.prologue_operand, s.prologue_literal, c)};
}

/// Interprets programs of the target `facts()`, all element types f32 but for inputs of staged convolutions and maps.
class plan_interpreter {
 public:
  static constexpr target_facts facts() {
    target_facts f;
    f.width = 1;
    f.panel = arch::reference::conv.nr;
    f.rows = arch::reference::conv.mr;
    f.block_rows = static_cast<std::int32_t>(block_rows(arch::reference::conv.gemm(), 1));
    f.winograd = true;
    f.chains = true;
    f.writes_outputs = true;
    return f;
  }
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* edges) {
    return step_scratch_bytes<arch::reference, reference_machine>(s, edges);
  }

  /// The program and its packed weights must outlive the interpreter.
  plan_interpreter(const program& p, const std::byte* weights) : program_(p), weights_(weights) {}

  /// Runs one step. False when no kernel of this interpreter has the step's types.
  bool run_step(int index, std::byte* arena, const void* const* in, void* const* out) const {
    const step& s = program_.steps[static_cast<std::size_t>(index)];
    const kernel_key& key = program_.keys[static_cast<std::size_t>(s.kernel)];
    interpreted_context c;
    c.edges = program_.edges.data();
    c.inputs = in, c.outputs = out, c.arena = arena, c.weights = weights_, c.key = &key;
    c.stages = program_.stages.data(), c.stage_keys = program_.stage_keys.data();
    return run(s, c);
  }

  /// Runs a step whose key is c.key.
  static bool run(const step& s, const interpreted_context& c) {
    const kernel_key& key = *c.key;
    switch (key.algorithm) {
      case algorithm::matmul:
        return call<algorithm::matmul>(s, c);
      case algorithm::conv2d:
        return call<algorithm::conv2d>(s, c);
      case algorithm::depthwise:
        return call<algorithm::depthwise>(s, c);
      case algorithm::conv_transpose2d:
        return call<algorithm::conv_transpose2d>(s, c);
      case algorithm::layer_norm:
        return call<algorithm::layer_norm>(s, c);
      case algorithm::pad:
        return call<algorithm::pad>(s, c);
      case algorithm::conv2d_staged:
        if (key.in == element::u8) return call<algorithm::conv2d_staged, element::u8>(s, c);
        return call<algorithm::conv2d_staged>(s, c);
      case algorithm::winograd:
        if (key.variant[0] == 2) return call<algorithm::winograd, element::f32, element::f32, 2>(s, c);
        return call<algorithm::winograd, element::f32, element::f32, 4>(s, c);
      case algorithm::pool2d:
        return call_variant<algorithm::pool2d, 2>(s, c);
      case algorithm::softmax:
        return call_variant<algorithm::softmax, 2>(s, c);
      case algorithm::resize2d:
        return call_variant<algorithm::resize2d, 2>(s, c);
      case algorithm::attention:
        return call_variant<algorithm::attention, 2>(s, c);
      case algorithm::reduce:
        if (key.variant[0] == static_cast<std::uint8_t>(reduce_kind::argmax)) return call_argmax(s, c);
        if ((key.variant[1] & 8) != 0) return call_variant<algorithm::reduce, 4, 8>(s, c);
        return call_variant<algorithm::reduce, 4>(s, c);
      case algorithm::conv_chain:
        kernel<algorithm::conv_chain>::run<kernel_key{}, arch::reference, reference_machine>(s, c);
        return true;
      case algorithm::map:
        return call_map(s, c);
    }
    return false;
  }

  /// Fills what a step is about to write (its output's elements, its scratch) with NaN, or 0xff where there is no NaN.
  void poison(int index, std::byte* arena, void* const* out) const {
    const step& s = program_.steps[static_cast<std::size_t>(index)];
    if (s.scratch >= 0) {
      const edge& e = program_.edges[static_cast<std::size_t>(s.scratch)];
      std::memset(arena + e.offset, 0xff, static_cast<std::size_t>(e.extent[3]));
    }
    const edge& e = program_.edges[static_cast<std::size_t>(s.out)];
    if (writes_in_place(s)) return;
    std::byte* base = e.where == space::output ? static_cast<std::byte*>(out[e.index]) : arena;
    for (std::int64_t a = 0; a < e.extent[0]; ++a)
      for (std::int64_t b = 0; b < e.extent[1]; ++b)
        for (std::int64_t c = 0; c < e.extent[2]; ++c)
          for (std::int64_t d = 0; d < e.extent[3]; ++d) {
            const std::int64_t at = a * e.stride[0] + b * e.stride[1] + c * e.stride[2] + d * e.stride[3];
            const auto bytes = static_cast<std::int64_t>(size_of(e.type));
            std::memset(base + e.offset + at * bytes, 0xff, static_cast<std::size_t>(bytes));
          }
  }

 private:
  /// Whether the step reads an operand from the very bytes that it writes.
  bool writes_in_place(const step& s) const {
    const edge& o = program_.edges[static_cast<std::size_t>(s.out)];
    const auto same = [&](std::int16_t e) {
      if (e < 0) return false;
      const edge& x = program_.edges[static_cast<std::size_t>(e)];
      return x.where == o.where && x.index == o.index && x.offset == o.offset;
    };
    bool found = same(s.in[0]);
    for (std::int16_t e : s.operand) found = found || same(e);
    return found;
  }

  template <algorithm A, element In = element::f32, element Out = element::f32, std::uint8_t Variant = 0,
            std::uint8_t Second = 0>
  static bool call(const step& s, const interpreted_context& c) {
    constexpr kernel_key key = [] {
      kernel_key k;
      k.algorithm = A;
      k.in = In;
      k.out = Out;
      k.variant[0] = A == algorithm::depthwise ? std::uint8_t{0} : Variant;
      k.variant[1] = Second;
      return k;
    }();
    if (c.key->in != In || c.key->out != Out) return false;
    kernel<A>::template run<key, arch::reference, reference_machine>(s, c);
    return true;
  }
  template <algorithm A, int Count, std::uint8_t Second = 0, std::uint8_t First = 0>
  static bool call_variant(const step& s, const interpreted_context& c) {
    if (c.key->variant[0] == First) return call<A, element::f32, element::f32, First, Second>(s, c);
    if constexpr (First + 1 < Count) return call_variant<A, Count, Second, First + 1>(s, c);
    return false;
  }
  static bool call_argmax(const step& s, const interpreted_context& c) {
    constexpr kernel_key key = [] {
      kernel_key k;
      k.algorithm = algorithm::reduce;
      k.out = element::i32;
      k.variant[0] = static_cast<std::uint8_t>(reduce_kind::argmax);
      return k;
    }();
    const run_context<serial>& plain = c;
    kernel<algorithm::reduce>::run<key, arch::reference, reference_machine>(s, plain);
    return true;
  }
  /// for every place of the output: y = expression. (algo/map.hpp wants to see the leaves' types.)
  template <class T>
  static bool map_places(const step& s, const interpreted_context& c) {
    const edge& e = c.edges[s.out];
    T* y = c.template data<T>(s.out);
    const interpreted_node expression = epilogue_of<kernel_key{}>(s, c);
    for (std::int64_t n = 0; n < e.extent[0]; ++n)
      for (std::int64_t h = 0; h < e.extent[1]; ++h)
        for (std::int64_t w = 0; w < e.extent[2]; ++w)
          for (std::int64_t k = 0; k < e.extent[3]; ++k)
            reference_machine::store(y + n * e.stride[0] + h * e.stride[1] + w * e.stride[2] + k * e.stride[3],
                                     eval(expression, reference_machine::leaf{0, {{n, h, w}, k}, 1}));
    return true;
  }
  static bool call_map(const step& s, const interpreted_context& c) {
    switch (c.key->out) {
      case element::f32:
        return map_places<float>(s, c);
      case element::f16:
        return map_places<half>(s, c);
      case element::bf16:
        return map_places<bfloat16>(s, c);
      case element::i8:
        return map_places<std::int8_t>(s, c);
      case element::u8:
        return map_places<std::uint8_t>(s, c);
      case element::i32:
        return map_places<std::int32_t>(s, c);
    }
    return false;
  }

  const program& program_;
  const std::byte* weights_;
};

/// Rows of a chain's stage.
inline void run_stage(const step& s, const run_context<serial>& rows, const interpreted_context& c) {
  plan_interpreter::run(s, {rows, c.stage_keys + s.kernel, nullptr});
}

TKL_ISA_END
}  // namespace tkl
