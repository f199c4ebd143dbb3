// SPDX-License-Identifier: Apache-2.0
// How convolutions of tensors run: which algorithm, what scratch memory, and the packing of raw weights.
//
//   depthwise         groups > 1 and one input channel per group; weights packed as algo/pack_depthwise.hpp says
//   staged            channels that are not neighbours (nchw), or few channels whose staged rows fit the stack buffer
//   plain             all others
//
// Raw weights are packed into scratch memory at each call; packed weights are read where they lie. The schedule is a
// conv_schedule; depthwise convolutions take none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/conv2d_staged.hpp>
#include <tkl/algo/conv_transpose2d.hpp>
#include <tkl/algo/depthwise.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/exec/pack_conv.hpp>
#include <tkl/exec/stack_scratch.hpp>
#include <tkl/op/conv_expression.hpp>

namespace tkl {

enum class conv_way : std::uint8_t { plain, staged, depthwise };

namespace detail {

constexpr conv2d_geometry geometry_of(const attributes& a) {
  conv2d_geometry g;
  for (int i = 0; i < 2; ++i)
    g.kernel[i] = a.kernel[i], g.stride[i] = a.stride[i], g.dilation[i] = a.dilation[i], g.pad[i] = a.pad[i];
  g.groups = a.groups;
  return g;
}

}  // namespace detail

TKL_ISA_BEGIN
namespace impl {

/// What both convolutions share.
template <class Op, class Target, auto... S>
struct conv_setting {
  using arch = typename Target::arch_type;
  static constexpr conv_schedule schedule = schedule_or<arch::conv, S...>;
  static constexpr packed_panels panels{schedule.nr * arch::width_f32, arch::width_f32};
  using weights_type = typename Op::weights_type;
  static constexpr bool raw = operand<weights_type>;
  static_assert(is_floating(element_of<element_of_operand<typename Op::input_type>>),
                "the input must be f32, f16 or bf16: assign it to such a tensor first");

  /// Bytes that raw weights take when packed.
  static constexpr std::int64_t packed_bytes(const Op& op) {
    if constexpr (raw) {
      return round_up(tkl::detail::packed_elements(op.params.get(), locate(op.w).extents, arch::width_f32) * 4, 64);
    } else {
      return 0;
    }
  }
  static constexpr complaint weights_mistake(const Op& op) {
    if constexpr (raw) {
      static_assert(std::is_same_v<element_of_operand<weights_type>, float>,
                    "raw weights are f32: assign others to such a tensor first");
      const auto l = locate(op.w);
      return tkl::detail::need_contiguous("the weight", l.extents, l.steps);
    } else {
      return tkl::detail::need_panels(weights_type::panels, panels);
    }
  }
  /// The packed weights, made in `memory` when they are raw.
  static const float* weights(const Op& op, std::byte* memory) {
    if constexpr (raw) {
      const auto l = locate(op.w);
      float* out = reinterpret_cast<float*>(memory);
      using T = element_of_operand<weights_type>;
      pack_weights(op.params.get(), static_cast<const T*>(first_element(l)), l.extents, static_cast<const T*>(nullptr),
                   panels, out);
      return out;
    } else {
      return op.w.data;
    }
  }
};

template <class X, class W, class P>
struct evaluator<conv2d_operation<X, W, P>> {
  using operation_type = conv2d_operation<X, W, P>;
  static constexpr bool direct = true;
  static constexpr result_frame frame(const operation_type&) { return result_frame(4); }

  /// Few channels are worth staging where the rows fit the stack.
  static constexpr std::int64_t few_channels = 8;
  template <class Setting>
  static constexpr conv_way way(const operation_type& op, const strided_shape& y) {
    const axes4 x = axes_of(locate(op.x));
    const conv2d_geometry g = tkl::detail::geometry_of(op.conv().attr);
    if (tkl::detail::is_depthwise(g.groups, tkl::detail::locate_weights(op.w).extents)) return conv_way::depthwise;
    if (x.step[3] != 1) return conv_way::staged;
    if (g.groups == 1 && g.dilation[1] == 1 && g.kernel[1] > 1 && x.extent[3] <= few_channels &&
        conv2d_staged_scratch_bytes(Setting::schedule, g, x.outer(), y) <= stack_scratch_bytes)
      return conv_way::staged;
    return conv_way::plain;
  }

  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type& op) {
    need_schedule<conv_schedule, S...>();
    require_registers<schedule_or<Target::arch_type::conv, S...>.gemm(), typename Target::arch_type>();
    using setting = conv_setting<operation_type, Target, S...>;
    complaint c = setting::weights_mistake(op);
    if (c.empty() && tkl::detail::is_depthwise(op.params.get().groups, tkl::detail::locate_weights(op.w).extents)) {
      c = need_rows("the input of a depthwise convolution", locate(op.x));
      if (c.empty() && sizeof...(S) > 0)
        c << "a depthwise convolution is not cut by a conv_schedule: leave the schedule out";
    }
    return c;
  }

  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type& op, const strided_shape& y, int workers) {
    using setting = conv_setting<operation_type, Target, S...>;
    const strided_shape x = axes_of(locate(op.x)).outer();
    const conv2d_geometry g = tkl::detail::geometry_of(op.conv().attr);
    std::int64_t own = 0;
    switch (way<setting>(op, y)) {
      case conv_way::plain:
        own = conv2d_scratch_bytes(setting::schedule, g, x, y, sizeof(element_of_operand<X>));
        break;
      case conv_way::staged:
        own = conv2d_staged_scratch_bytes(setting::schedule, g, x, y);
        break;
      case conv_way::depthwise:
        break;
    }
    return setting::packed_bytes(op) + workers * own;
  }

  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte* memory) {
    using setting = conv_setting<operation_type, Target, S...>;
    const auto epilogue = bind_expression<true>(e, f, acc_node{});
    const float* weights = setting::weights(op, memory);
    memory += setting::packed_bytes(op);
    if constexpr (operation_type::is_static) {
      // Extents decide only whether staged rows fit the stack; they are constants here.
      constexpr conv_way chosen = way<setting>(operation_type{}, static_output());
      run_way<chosen, setting>(op, y, epilogue, target, weights, memory);
    } else {
      switch (way<setting>(op, y.shape)) {
        case conv_way::plain:
          return run_way<conv_way::plain, setting>(op, y, epilogue, target, weights, memory);
        case conv_way::staged:
          return run_way<conv_way::staged, setting>(op, y, epilogue, target, weights, memory);
        case conv_way::depthwise:
          return run_way<conv_way::depthwise, setting>(op, y, epilogue, target, weights, memory);
      }
    }
  }

 private:
  /// The output of an operation whose extents are part of its type.
  static constexpr strided_shape static_output() {
    const shape s = operation_type{}.conv().result.out;
    return contiguous(s[0], s[1], s[2], s[3]);
  }

  template <conv_way Way, class Setting, class TC, class E, class Target>
  static void run_way(const operation_type& op, const strided4<TC>& y, const E& epilogue, const Target& target,
                      const float* weights, std::byte* memory) {
    using machine = typename Target::machine;
    using T = element_of_operand<X>;
    const auto l = locate(op.x);
    const strided4<const T> x{first_element(l), axes_of(l).outer()};
    const conv2d_geometry g = tkl::detail::geometry_of(op.conv().attr);
    if constexpr (Way == conv_way::plain) {
      const conv2d_problem<T, float, TC> p{x, weights, y, g};
      conv2d<Setting::schedule, machine>(p, epilogue, target.executor, memory);
    } else if constexpr (Way == conv_way::staged) {
      const conv2d_staged_problem<T, float, TC> p{x, axes_of(l).step[3], weights, y, g};
      conv2d_staged<Setting::schedule, machine>(p, acc_node{}, epilogue, target.executor, memory);
    } else {
      depthwise_problem<T, float, TC> p;
      p.x = x, p.weights = weights, p.y = y;
      for (int i = 0; i < 2; ++i)
        p.kernel[i] = g.kernel[i], p.stride[i] = g.stride[i], p.dilation[i] = g.dilation[i], p.pad[i] = g.pad[i];
      p.multiplier = x.shape.extent[3] == 0 ? 1 : y.shape.extent[3] / x.shape.extent[3];
      depthwise<depthwise_for<typename Target::arch_type>(), machine>(p, epilogue, target.executor);
    }
  }

  /// The code for the filter where the types tell it, else for any filter.
  template <class Arch>
  static constexpr depthwise_schedule depthwise_for() {
    if constexpr (operation_type::is_static) {
      constexpr attributes a = operation_type{}.conv().attr;
      constexpr std::int64_t out = operation_type{}.conv().result.out[3], in = declared_extents<X>[3];
      return depthwise_schedule_for(a.kernel[0], a.kernel[1], a.stride[1], a.dilation[1], in == 0 ? 1 : out / in,
                                    Arch::depthwise_tile);
    } else {
      return {};
    }
  }
};

template <class X, class W, class P>
struct evaluator<conv_transpose2d_operation<X, W, P>> {
  using operation_type = conv_transpose2d_operation<X, W, P>;
  static constexpr bool direct = true;
  static constexpr result_frame frame(const operation_type&) { return result_frame(4); }

  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type& op) {
    need_schedule<conv_schedule, S...>();
    require_registers<schedule_or<Target::arch_type::conv, S...>.gemm(), typename Target::arch_type>();
    complaint c = conv_setting<operation_type, Target, S...>::weights_mistake(op);
    return c.empty() ? need_rows("the input", locate(op.x)) : c;
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type& op, const strided_shape& y, int workers) {
    using setting = conv_setting<operation_type, Target, S...>;
    return setting::packed_bytes(op) +
           workers * conv_transpose2d_scratch_bytes(setting::schedule, tkl::detail::geometry_of(op.conv().attr),
                                                    axes_of(locate(op.x)).outer(), y, sizeof(element_of_operand<X>));
  }
  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte* memory) {
    using setting = conv_setting<operation_type, Target, S...>;
    using T = element_of_operand<X>;
    const float* weights = setting::weights(op, memory);
    const auto l = locate(op.x);
    const conv_transpose2d_problem<T, float, TC> p{
        {first_element(l), axes_of(l).outer()}, weights, y, tkl::detail::geometry_of(op.conv().attr)};
    conv_transpose2d<setting::schedule, typename Target::machine>(p, bind_expression<true>(e, f, acc_node{}),
                                                                  target.executor, memory + setting::packed_bytes(op));
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
