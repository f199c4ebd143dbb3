// SPDX-License-Identifier: Apache-2.0
// assign: evaluates an expression of tensors into a target tensor, in one kernel.
//
//   assign(y, relu(conv2d(x, w, {.pad = 1}) + channel(bias)));                  on the best architecture of this unit's
//   flags assign(cpu<arch::avx2, openmp>{openmp(4), memory}, y, e);                   another target, with scratch
//   memory assign<conv_schedule{.mr = 4, .nr = 3}>(cpu<arch::avx2>{}, y, e);           another schedule
//
// Extents. The target has exactly the expression's extents. When those and all parameters are part of the types,
// mistakes are compile errors and assign returns nothing; else it returns a status, and after a failure nothing has
// been written. In the first case what is left to go wrong is memory (a tensor without memory, a target that overlaps
// an operand): the program then stops with the message.
//
// Memory. The target must not share elements with an operand, except that an element-wise operand (a residual, c of
// gemm) or the input of softmax and layer_norm may be the target itself, element for element. Every element of the
// target has an address of its own and is written once, after everything that it depends on was read.
//
// Scratch memory. Small calls use up to stack_scratch_bytes (64 KiB) of stack; scratch_bytes() says what a larger one
// needs from the target: raw convolution weights are packed there at each call, so pack them once instead
// (exec/pack_conv.hpp).
//
// Numbers. Products and sums are f32 whatever the element types; results are rounded once to the target's. The
// element-wise part runs in the order in which it is written.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/algo/map.hpp>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/checks.hpp>
#include <tkl/exec/cpu_target.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/exec/stack_scratch.hpp>
#include <tkl/exec/strided_overlap.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/op/expression.hpp>
#include <type_traits>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// What assign() runs on: an architecture, its machine, an executor, scratch memory.
template <class T>
concept eager_target = requires(const T& t) {
  typename T::arch_type;
  typename T::machine;
  { t.executor.workers() } -> std::convertible_to<int>;
  { t.scratch } -> std::convertible_to<scratch_memory>;
};

namespace impl {

template <class E>
using operation_in = std::remove_cvref_t<decltype(operation_of(std::declval<const E&>()))>;

/// The target seen by the kernel.
template <class E>
constexpr result_frame frame_of(const E& e, int rank) {
  if constexpr (operation_count<E> == 1) {
    return evaluator<operation_in<E>>::frame(operation_of(e));
  } else {
    return result_frame(rank);
  }
}

/// What is wrong with extents, parameters and layouts; empty when nothing is. Looks at no element.
template <class Target, auto... S, class TC, class E>
constexpr message_text extents_mistake(const located<TC>& y, const E& e) {
  message_text m;
  std::string_view op = "assign";
  if constexpr (operation_count<E> == 1) op = operation_in<E>::name;
  if (!y.error.empty()) return m << op << ": the target: " << y.error.view();
  const shape_or_complaint rule = expression_rule(e);
  if (!rule.ok()) return m << rule.error.view();
  if (!(rule.out == y.extents)) return m << op << ": the target has shape " << y.extents << ", the result " << rule.out;
  if (y.extents.rank > 4)
    return m << op << ": the target " << y.extents << " has " << y.extents.rank << " axes, at most 4 are possible";
  for (int i = 0; i < y.extents.rank; ++i)
    if (y.extents[i] > 1 && y.steps[i] == 0 && y.extents.elements().value > 0)
      return m << op << ": the target repeats its elements along axis " << i;
  const bool addressed = y.extents.elements().value > 0 && tkl::detail::reach_of(y.extents, y.steps).valid;
  if (addressed && tkl::detail::meets_itself(y.extents, y.steps))
    return m << op << ": the target " << y.extents << " has two elements at one address: its axes step by "
             << tkl::detail::steps_text(y.extents, y.steps).view() << " elements";
  complaint c;
  if constexpr (operation_count<E> == 1) {
    using with = evaluator<operation_in<E>>;
    c = with::template mistake<Target, S...>(operation_of(e));
    const axes4 axes = axes_of(y, with::frame(operation_of(e)));
    if (c.empty() && axes.extent[3] > 1 && axes.step[3] != 1)
      c << "the target has its columns " << axes.step[3]
        << " elements apart, this op writes neighbours: assign to a row-major (nhwc) tensor and copy it";
  } else {
    static_assert(sizeof...(S) == 0, "an element-wise expression is not cut by a schedule");
  }
  return c.empty() ? m : m << op << ": " << c.view();
}

/// Bytes of scratch memory of a sound assignment.
template <class Target, auto... S, class TC, class E>
constexpr std::int64_t scratch_needed(const located<TC>& y, const E& e, int workers) {
  if constexpr (operation_count<E> == 1) {
    using with = evaluator<operation_in<E>>;
    return with::template scratch<Target, S...>(operation_of(e), axes_of(y, with::frame(operation_of(e))).outer(),
                                                workers);
  } else {
    return 0;
  }
}

/// Bytes of scratch memory where the types tell them, else -1.
template <class Target, class Y, class E, auto... S>
constexpr std::int64_t known_scratch() {
  if constexpr (operation_count<E> == 0) {
    return 0;
  } else if constexpr (is_static_expression<E> && Y::is_static) {
    const std::int64_t one = scratch_needed<Target, S...>(locate(Y{}), E{}, 1);
    const bool any_workers = std::is_same_v<typename Target::executor_type, serial> ||
                             one == scratch_needed<Target, S...>(locate(Y{}), E{}, 2);
    return any_workers ? one : -1;
  } else {
    return -1;
  }
}

/// An assignment whose extents and parameters are part of its types: its mistake is known to the compiler. HasTarget:
/// the caller may bring scratch memory.
template <bool HasTarget, class Target, class Y, class E, auto... S>
struct static_assignment {
  static constexpr message_text mistake = [] {
    message_text m = extents_mistake<Target, S...>(locate(Y{}), E{});
    if (m.empty() && !HasTarget && known_scratch<Target, Y, E, S...>() > stack_scratch_bytes)
      m << "assign: the kernel needs " << known_scratch<Target, Y, E, S...>()
        << " bytes of scratch memory, the stack gives " << stack_scratch_bytes
        << ": pack the weights (pack_conv2d, pack_linear ...), or name a target with scratch_bytes(y, e) bytes";
    return m;
  }();
  static constexpr bool sound = no_mistake<static_assignment>::value;
  /// Whether nothing but memory can go wrong when the program runs.
  static constexpr bool certain = [] {
    if constexpr (!mistake.empty()) {
      return true;
    } else {
      constexpr std::int64_t bytes = known_scratch<Target, Y, E, S...>();
      return bytes >= 0 && bytes <= stack_scratch_bytes;
    }
  }();
  static constexpr std::int64_t scratch = [] {
    if constexpr (!mistake.empty()) {
      return std::int64_t{0};
    } else {
      return known_scratch<Target, Y, E, S...>();
    }
  }();
};

template <class TC, class E, class Target, auto... S>
TKL_FN void run_assignment(const located<TC>& y, const E& e, const Target& target, std::byte* memory) {
  const result_frame f = frame_of(e, y.extents.rank);
  if constexpr (operation_count<E> == 1) {
    using with = evaluator<operation_in<E>>;
    with::template run<Target, S...>(operation_of(e), strided_view_of(y, f), e, f, target, memory);
  } else {
    const axes4 axes = axes_of(y, f);
    map_problem<TC> p{first_element(y)};
    for (int i = 0; i < 4; ++i) p.extent[i] = axes.extent[i], p.stride[i] = axes.step[i];
    map<typename Target::machine>(p, bind_expression<true>(e, f, acc_node{}), target.executor);
  }
}

/// Checks what is not known to the compiler, and runs.
template <bool Certain, class Assignment, class Target, auto... S, class Y, class E>
status check_and_run(const Target& target, const Y& y, const E& e) {
  const auto to = locate(y);
  using TC = std::remove_pointer_t<decltype(to.data)>;
  if constexpr (!(is_static_expression<E> && Y::is_static)) {
    const message_text m = extents_mistake<Target, S...>(to, e);
    if (!m.empty()) return status::failure(m);
  }
  if (status s = check_memory(to, e); !s) return s;
  if (to.extents.elements().value == 0) return {};
  const auto run = [&](std::byte* memory) { run_assignment<TC, E, Target, S...>(to, e, target, memory); };
  if constexpr (Certain) {
    with_stack_scratch<Assignment::scratch>(run);
  } else {
    const std::int64_t bytes = scratch_needed<Target, S...>(to, e, target.executor.workers());
    message_text m;
    if (bytes > 0 && target.scratch.bytes >= bytes) {
      const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target.scratch.data) % 64);
      if (past != 0)
        return status::failure(m << "assign: the scratch memory begins " << past << " bytes past a multiple of 64");
      run(target.scratch.data);
    } else if (bytes <= stack_scratch_bytes) {
      with_stack_scratch<operation_count<E> == 0 ? 0 : stack_scratch_bytes>(run);
    } else {
      return status::failure(m << "assign: the kernel needs " << bytes << " bytes of scratch memory, the target has "
                               << target.scratch.bytes << " (the stack gives " << stack_scratch_bytes
                               << "): bring scratch_bytes(y, e) bytes, or pack the weights");
    }
  }
  return {};
}

template <bool HasTarget, auto... S, class Target, class Y, class E>
auto assign_operands(const Target& target, const Y& y, const E& e) {
  static_assert(!std::is_const_v<typename Y::element_type>, "the target of assign is constant");
  static_assert(operation_count<E> <= 1,
                "two contractions are a graph: assign the inner one to a tensor of its own first, or build a graph "
                "(tkl/graph.hpp); a result that is used twice is a function of it, such as silu(x) for x * sigmoid(x)");
  if constexpr (operation_count<E> <= 1) {
    using assignment = static_assignment<HasTarget, Target, Y, E, S...>;
    if constexpr (is_static_expression<E> && Y::is_static) {
      static_assert(assignment::sound);
      if constexpr (assignment::certain) {
        if constexpr (assignment::mistake.empty()) {
          if (status s = check_and_run<true, assignment, Target, S...>(target, y, e); !s) stop(s);
        }
      } else {
        return check_and_run<false, assignment, Target, S...>(target, y, e);
      }
    } else {
      return check_and_run<false, void, Target, S...>(target, y, e);
    }
  }
}

}  // namespace impl

/// y = e on `target`. Returns a status, or nothing when everything is known to the compiler (see above). `y`: a tensor
/// or view (or part of one: slice, transpose); `e`: an expression, or an operand to copy or convert.
template <auto... Schedule, eager_target Target, operand_source Y, eager_argument E>
auto assign(const Target& target, Y&& y, const E& e) {
  return impl::assign_operands<true, Schedule...>(target, as_operand(std::forward<Y>(y)), as_leaf(e));
}
/// y = e on the best architecture that this unit's compiler flags allow, in the calling thread.
template <auto... Schedule, operand_source Y, eager_argument E>
auto assign(Y&& y, const E& e) {
  return impl::assign_operands<false, Schedule...>(cpu<>{}, as_operand(std::forward<Y>(y)), as_leaf(e));
}

/// Bytes of scratch memory that assign(target, y, e) needs from the target, 0 when the stack buffer suffices or the
/// assignment is refused anyhow.
template <auto... Schedule, eager_target Target, operand_source Y, eager_argument E>
std::int64_t scratch_bytes(const Target& target, Y&& y, const E& e) {
  const auto to = locate(as_operand(std::forward<Y>(y)));
  const auto leaf = as_leaf(e);
  if (!impl::extents_mistake<Target, Schedule...>(to, leaf).empty()) return 0;
  const std::int64_t bytes = impl::scratch_needed<Target, Schedule...>(to, leaf, target.executor.workers());
  return bytes <= stack_scratch_bytes ? 0 : bytes;
}
template <auto... Schedule, operand_source Y, eager_argument E>
std::int64_t scratch_bytes(Y&& y, const E& e) {
  return scratch_bytes<Schedule...>(cpu<>{}, std::forward<Y>(y), e);
}

TKL_ISA_END
}  // namespace tkl
