// SPDX-License-Identifier: Apache-2.0
// Matrix products of tensors as expressions: matmul, linear, gemm. Shapes as in op/matmul.hpp, at most two leading
// axes.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/matmul.hpp>
#include <tkl/op/weights.hpp>

namespace tkl {

template <class W>
concept matrix_source =
    operand_source<W> || packed_source<W, packed_kind::matrix> || packed_source<W, packed_kind::linear>;

/// Product of a and b; P: fixed_params or given_params of matmul_params.
template <operand A, class B, class P>
struct TKL_TAGGED matmul_operation : operation_base {
  static constexpr std::string_view name = "matmul";
  static constexpr bool is_static = A::is_static && detail::static_weights<B> && P::is_static;
  static constexpr bool in_place = false;
  A a{};
  B b{};
  P params{};

  /// Whether b lies in memory as columns x depth.
  constexpr bool transposed_b() const {
    if constexpr (operand<B>) {
      return params.get().transpose_b;
    } else {
      return B::kind == packed_kind::linear;
    }
  }
  constexpr shape_or_complaint rule() const {
    const auto left = locate(a);
    const auto right = detail::locate_weights(b);
    const complaint c = detail::input_error("first operand", left, "second operand", right);
    if (!c.empty()) return complain(c);
    if constexpr (!operand<B>) {
      if (params.get().transpose_b)
        return complain(complaint{} << "transpose_b is set, but the second operand is packed: its order is fixed");
    }
    shape_or_complaint r = matmul_rule(left.extents, right.extents, {params.get().transpose_a, transposed_b()});
    if (r.ok() && r.out.rank > 4)
      r.error << "the result " << r.out << " has " << r.out.rank << " axes, at most 4 are possible";
    return r;
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("first operand", a);
    f("second operand", b);
  }
};

/// Batched matrix product: a [..., M, K], b [..., K, N]; leading axes broadcast. b may be packed (pack_matrix,
/// pack_linear), then it has no leading axes.
template <operand_source A, matrix_source B>
constexpr auto matmul(A&& a, B&& b, const matmul_params& p) {
  auto left = as_operand(std::forward<A>(a));
  auto right = detail::as_weights(std::forward<B>(b));
  return matmul_operation<decltype(left), decltype(right), given_params<matmul_params>>{{}, left, right, {p}};
}
/// The same with parameters that are checked when the program is compiled.
template <matmul_params P, operand_source A, matrix_source B>
constexpr auto matmul(A&& a, B&& b) {
  auto left = as_operand(std::forward<A>(a));
  auto right = detail::as_weights(std::forward<B>(b));
  return matmul_operation<decltype(left), decltype(right), fixed_params<P>>{{}, left, right, {}};
}

template <operand_source A, matrix_source B>
constexpr auto matmul(A&& a, B&& b) {
  return matmul<matmul_params{}>(std::forward<A>(a), std::forward<B>(b));
}

/// x times the transpose of w: a fully connected layer whose weight is stored out x in; w may be packed (pack_linear).
template <operand_source X, matrix_source W>
constexpr auto linear(X&& x, W&& w) {
  if constexpr (operand_source<W>) {
    return matmul<matmul_params{.transpose_b = true}>(std::forward<X>(x), std::forward<W>(w));
  } else {
    static_assert(std::remove_cvref_t<W>::kind == packed_kind::linear,
                  "linear takes a weight out x in: pack it by pack_linear, or use matmul");
    return matmul<matmul_params{}>(std::forward<X>(x), std::forward<W>(w));
  }
}
/// The same plus bias [O].
template <operand_source X, matrix_source W, operand_source B>
constexpr auto linear(X&& x, W&& w, B&& bias) {
  return linear(std::forward<X>(x), std::forward<W>(w)) + channel(std::forward<B>(bias));
}

/// Attributes of gemm (BLAS): c = alpha * a b + beta * c.
struct gemm_params {
  double alpha = 1;
  double beta = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  constexpr bool operator==(const gemm_params&) const = default;
  constexpr matmul_params product() const { return {transpose_a, transpose_b}; }
};

struct no_accumulator {};

/// alpha * a b + beta * c. With alpha = 0 neither a nor b is read, with beta = 0 c is not: what they hold, NaN
/// included, does not reach the result. C: an operand, or no_accumulator. P: fixed_params or given_params of
/// gemm_params.
template <operand A, class B, class C, class P>
struct TKL_TAGGED gemm_operation : operation_base {
  static constexpr std::string_view name = "gemm";
  static constexpr bool has_c = !std::is_same_v<C, no_accumulator>;
  static constexpr bool is_static = [] {
    if constexpr (has_c) {
      return A::is_static && detail::static_weights<B> && C::is_static && P::is_static;
    } else {
      return A::is_static && detail::static_weights<B> && P::is_static;
    }
  }();
  static constexpr bool in_place = false;
  A a{};
  B b{};
  C c{};
  P scales{};

  /// a b without the factors.
  constexpr auto product() const {
    if constexpr (P::is_static) {
      return matmul_operation<A, B, fixed_params<P::get().product()>>{{}, a, b, {}};
    } else {
      return matmul_operation<A, B, given_params<matmul_params>>{{}, a, b, {scales.get().product()}};
    }
  }
  constexpr shape_or_complaint rule() const {
    shape_or_complaint r = product().rule();
    if (!r.ok()) return r;
    if constexpr (has_c) {
      const auto l = locate(c);
      const shape both[2]{r.out, l.extents};
      if (!l.error.empty())
        r.error << "c: " << l.error.view();
      else if (!(map_rule(both, 2).ok() && map_rule(both, 2).out == r.out))
        r.error << "c has shape " << l.extents << ", does not broadcast to the product's " << r.out;
    } else if (scales.get().beta != 0) {
      r.error << "beta is not 0, but there is no c";
    }
    return r;
  }
  template <class F>
  constexpr void for_each_input(F f) const {
    f("first operand", a);
    f("second operand", b);
  }
};

namespace detail {

template <class A, class B, class C, class P>
constexpr auto make_gemm(A a, B b, C c, const P& p) {
  return gemm_operation<A, B, C, P>{{}, a, b, c, p};
}

}  // namespace detail

/// alpha * a b.
template <operand_source A, matrix_source B>
constexpr auto gemm(A&& a, B&& b, const gemm_params& p) {
  return detail::make_gemm(as_operand(std::forward<A>(a)), detail::as_weights(std::forward<B>(b)), no_accumulator{},
                           given_params<gemm_params>{p});
}
template <gemm_params P, operand_source A, matrix_source B>
constexpr auto gemm(A&& a, B&& b) {
  return detail::make_gemm(as_operand(std::forward<A>(a)), detail::as_weights(std::forward<B>(b)), no_accumulator{},
                           fixed_params<P>{});
}
template <operand_source A, matrix_source B>
constexpr auto gemm(A&& a, B&& b) {
  return gemm<gemm_params{}>(std::forward<A>(a), std::forward<B>(b));
}
/// alpha * a b + beta * c; c may be the target of assign itself.
template <operand_source A, matrix_source B, operand_source C>
constexpr auto gemm(A&& a, B&& b, C&& c, const gemm_params& p) {
  return detail::make_gemm(as_operand(std::forward<A>(a)), detail::as_weights(std::forward<B>(b)),
                           as_operand(std::forward<C>(c)), given_params<gemm_params>{p});
}
template <gemm_params P, operand_source A, matrix_source B, operand_source C>
constexpr auto gemm(A&& a, B&& b, C&& c) {
  return detail::make_gemm(as_operand(std::forward<A>(a)), detail::as_weights(std::forward<B>(b)),
                           as_operand(std::forward<C>(c)), fixed_params<P>{});
}

}  // namespace tkl
