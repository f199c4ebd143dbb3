// SPDX-License-Identifier: Apache-2.0
// How matrix products of tensors run. The schedule is a gemm_schedule.
//
//   packed second operand    algo/matmul.hpp, no scratch memory
//   constant extents <= 128  algo/static_gemm.hpp, no scratch memory; both operands row-major, no leading axes
//   large single product     algo/gemm.hpp: a block of the second operand is packed once for all rows
//   others                   algo/matmul.hpp: one panel at a time
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/algo/gemm.hpp>
#include <tkl/algo/map.hpp>
#include <tkl/algo/matmul.hpp>
#include <tkl/algo/static_gemm.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/evaluate.hpp>
#include <tkl/op/matmul_expression.hpp>

namespace tkl {

namespace detail {

/// One operand of a product as it lies in memory: rows of neighbours, or their transpose.
struct matrix_place {
  strided_shape shape{};
  bool transposed = false;
  bool possible = true;
};

/// The last two axes as matrix rows and columns (exchanged when `exchange`), the others as up to two batch axes.
template <class T>
TKL_TAGGED constexpr matrix_place matrix_place_of(const located<T>& l, bool exchange) {
  axes4 a = axes_of(l);
  const int last = l.extents.rank - 1;
  a.step[3] = l.steps[last];
  std::int64_t rows = a.extent[2], columns = a.extent[3], row_step = a.step[2], column_step = a.step[3];
  if (exchange) rows = a.extent[3], columns = a.extent[2], row_step = a.step[3], column_step = a.step[2];
  matrix_place p;
  p.transposed = !(columns <= 1 || column_step == 1);
  p.possible = !p.transposed || rows <= 1 || row_step == 1;
  for (int i = 0; i < 2; ++i) p.shape.extent[i] = a.extent[i], p.shape.stride[i] = a.extent[i] == 1 ? 0 : a.step[i];
  p.shape.extent[2] = p.transposed ? columns : rows;
  p.shape.extent[3] = p.transposed ? rows : columns;
  p.shape.stride[2] = p.transposed ? column_step : row_step;
  return p;
}

}  // namespace detail

TKL_ISA_BEGIN
namespace impl {

enum class matmul_way : std::uint8_t { packed, constant, large, is_small };

template <class A, class B, class P>
struct evaluator<matmul_operation<A, B, P>> {
  using operation_type = matmul_operation<A, B, P>;
  using TA = element_of_operand<A>;
  static_assert(is_floating(element_of<TA>),
                "the first operand must be f32, f16 or bf16: assign it to such a tensor first");
  static constexpr bool direct = true;
  static constexpr bool plain = operand<B>;
  static constexpr result_frame frame(const operation_type& op) { return result_frame(op.rule().out.rank); }

  template <class Target, auto... S>
  struct setting {
    using arch = typename Target::arch_type;
    static constexpr gemm_schedule schedule = schedule_or<arch::gemm, S...>;
    static constexpr packed_panels panels{schedule.nr * arch::width_f32, arch::width_f32};
    using weights_type = B;
  };

  static constexpr tkl::detail::matrix_place first(const operation_type& op) {
    return tkl::detail::matrix_place_of(locate(op.a), op.params.get().transpose_a);
  }
  static constexpr tkl::detail::matrix_place second(const operation_type& op) {
    return tkl::detail::matrix_place_of(tkl::detail::locate_weights(op.b), op.transposed_b());
  }

  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type& op) {
    need_schedule<gemm_schedule, S...>();
    require_registers<schedule_or<Target::arch_type::gemm, S...>, typename Target::arch_type>();
    complaint c;
    const auto a = first(op);
    if (!a.possible) return c << "first operand: neither its rows nor its columns are neighbours in memory";
    if constexpr (plain) {
      if (!second(op).possible) c << "second operand: neither its rows nor its columns are neighbours in memory";
    } else {
      using with = setting<Target, S...>;
      c = tkl::detail::need_panels(B::panels, with::panels);
      if (c.empty() && a.transposed)
        c << "the first operand is transposed: with a packed second operand its columns must be neighbours";
    }
    return c;
  }

  /// The first operand leaves the second-level cache, so that walking it once per panel would cost its bandwidth.
  template <class Setting>
  static constexpr matmul_way way(const operation_type& op) {
    if constexpr (!plain) {
      return matmul_way::packed;
    } else {
      const auto a = first(op), b = second(op);
      const shape out = op.rule().out;
      const std::int64_t rows = out.back(1), columns = out.back(0), depth = a.shape.extent[a.transposed ? 2 : 3];
      if (operation_type::is_static && !a.transposed && !b.transposed && out.rank == 2 && rows <= 128 &&
          columns <= 128 && depth <= 128)
        return matmul_way::constant;
      const bool single = out.rank == 2 || out.elements().value == rows * columns;
      const bool leaves_cache = 4 * rows * depth > Setting::arch::cache.l2 / 2;
      return single && leaves_cache && columns > Setting::panels.panel ? matmul_way::large : matmul_way::is_small;
    }
  }

  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type& op, const strided_shape& y, int workers) {
    using with = setting<Target, S...>;
    if constexpr (plain) {
      const auto a = first(op), b = second(op);
      const std::int64_t depth = a.shape.extent[a.transposed ? 2 : 3];
      const matmul_layout lies{a.transposed, b.transposed};
      switch (way<with>(op)) {
        case matmul_way::large:
          return gemm_scratch_bytes(with::schedule, with::arch::width_f32, y.extent[3], depth, lies, workers);
        case matmul_way::is_small:
          return workers * matmul_scratch_bytes(with::schedule, with::arch::width_f32, depth, lies);
        case matmul_way::constant:
        case matmul_way::packed:
          return 0;
      }
    }
    return 0;
  }

  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte* memory) {
    run_bound<Target, S...>(op, y, bind_expression<true>(e, f, acc_node{}), target, memory);
  }

  /// The product with an epilogue of kernel nodes.
  template <class Target, auto... S, class TC, class E>
  static void run_bound(const operation_type& op, const strided4<TC>& y, const E& epilogue, const Target& target,
                        std::byte* memory) {
    using with = setting<Target, S...>;
    using machine = typename Target::machine;
    constexpr gemm_schedule schedule = with::schedule;
    const strided4<const TA> a{first_element(locate(op.a)), first(op).shape};
    if constexpr (!plain) {
      packed_matmul_problem<TA, float, TC> p{a, op.b.data, y};
      for (int i = 0; i < 3; ++i) p.a.shape.extent[i] = y.shape.extent[i];
      matmul<schedule, machine>(p, epilogue, target.executor);
    } else {
      using TB = element_of_operand<B>;
      static_assert(is_floating(element_of<TB>),
                    "the second operand must be f32, f16 or bf16: assign it to such a tensor first");
      const strided4<const TB> b{first_element(locate(op.b)), second(op).shape};
      constexpr bool constant = [] {
        if constexpr (operation_type::is_static) {
          return way<with>(operation_type{}) == matmul_way::constant;
        } else {
          return false;
        }
      }();
      if constexpr (constant) {
        constexpr shape out = operation_type{}.rule().out;
        constexpr gemm_extents extents{static_cast<int>(out[0]), static_cast<int>(out[1]),
                                       static_cast<int>(first(operation_type{}).shape.extent[3])};
        static_gemm<schedule, machine, extents>(a.data, a.shape.stride[2], b.data, b.shape.stride[2], y.data,
                                                y.shape.stride[2], epilogue);
      } else {
        const matmul_problem<TA, TB, TC> p{a, b, y, {first(op).transposed, second(op).transposed}};
        if (way<with>(op) == matmul_way::large) {
          gemm<schedule, machine>(p, epilogue, target.executor, memory);
        } else {
          matmul<schedule, machine>(p, epilogue, target.executor, memory);
        }
      }
    }
  }
};

/// gemm is a product whose factors are part of the epilogue; factors of 0 leave out what they multiply.
template <class A, class B, class C, class P>
struct evaluator<gemm_operation<A, B, C, P>> {
  using operation_type = gemm_operation<A, B, C, P>;
  using product_type = decltype(operation_type{}.product());
  using product_evaluator = evaluator<product_type>;
  static constexpr bool direct = true;
  static constexpr result_frame frame(const operation_type& op) { return product_evaluator::frame(op.product()); }

  template <class Target, auto... S>
  static constexpr complaint mistake(const operation_type& op) {
    return product_evaluator::template mistake<Target, S...>(op.product());
  }
  template <class Target, auto... S>
  static constexpr std::int64_t scratch(const operation_type& op, const strided_shape& y, int workers) {
    if (op.scales.get().alpha == 0) return 0;
    return product_evaluator::template scratch<Target, S...>(op.product(), y, workers);
  }

  template <class Target, auto... S, class TC, class E>
  static void run(const operation_type& op, const strided4<TC>& y, const E& e, const result_frame& f,
                  const Target& target, std::byte* memory) {
    const gemm_params& p = op.scales.get();
    const literal_node alpha{{}, static_cast<float>(p.alpha)}, beta{{}, static_cast<float>(p.beta)};
    const auto with_product = [&](const auto& sum) {
      product_evaluator::template run_bound<Target, S...>(op.product(), y, bind_expression<true>(e, f, sum), target,
                                                          memory);
    };
    const auto without_product = [&](const auto& rest) {
      map_problem<TC> m{y.data};
      for (int i = 0; i < 4; ++i) m.extent[i] = y.shape.extent[i];
      for (int i = 0; i < 3; ++i) m.stride[i] = y.shape.stride[i];
      map<typename Target::machine>(m, bind_expression<true>(e, f, rest), target.executor);
    };
    const auto scaled = make_apply<fn::mul>(alpha, acc_node{});
    const auto with_c = [&](const auto& c) {
      if (p.alpha == 0) {
        without_product(make_apply<fn::mul>(beta, c));
      } else {
        with_product(make_apply<fn::add>(scaled, make_apply<fn::mul>(beta, c)));
      }
    };
    if constexpr (P::is_static) {
      constexpr gemm_params fixed = P::get();
      if constexpr (operation_type::has_c && fixed.beta != 0) {
        const auto c = node_at<kind_of_leaf<C, true>>(place_leaf(locate(op.c), f));
        if constexpr (fixed.alpha == 0) {
          without_product(make_apply<fn::mul>(beta, c));
        } else {
          with_product(make_apply<fn::add>(scaled, make_apply<fn::mul>(beta, c)));
        }
      } else if constexpr (fixed.alpha == 0) {
        without_product(literal_node{{}, 0.0f});
      } else if constexpr (fixed.alpha == 1) {
        with_product(acc_node{});
      } else {
        with_product(scaled);
      }
    } else {
      if constexpr (operation_type::has_c) {
        if (p.beta != 0) return with_c(node_at<kind_of_leaf<C, true>>(place_leaf(locate(op.c), f)));
      }
      if (p.alpha == 0) {
        without_product(literal_node{{}, 0.0f});
      } else {
        with_product(scaled);
      }
    }
  }
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
