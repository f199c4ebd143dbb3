// SPDX-License-Identifier: Apache-2.0
// Tensor kernels that are compiled ahead of time at several instruction-set levels (link tkl::kernels): the eager API
// for f32 tensors whose extents are known at run time. The level is chosen at the first call: the highest that the
// processor runs, or the one that the environment variable TKL_ARCH names.
//
//   tkl::kernels::matrix<float> a(pa, {m, k}), b(pb, {k, n}), c(pc, {m, n});
//   if (tkl::status s = tkl::kernels::gemm(a, b, c); !s) ...                     // c = a b
//   tkl::kernels::map<"gelu">(x, y);
//
// Each kernel takes its inputs and parameters, then the output, which must not share elements with an input except as
// exec/assign.hpp says; then, if it needs more than 64 KiB, scratch memory at a 64-byte boundary: gemm.scratch_bytes(a,
// b, c) bytes. Mistakes in extents, memory and parameters are a status, and nothing is written.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/layout.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/text.hpp>
#include <tkl/core/view.hpp>
#include <tkl/exec/scratch_memory.hpp>
#include <tkl/op/conv.hpp>
#include <tkl/op/normalise.hpp>
#include <tkl/op/pool.hpp>
#include <tkl/runtime/cpu_level.hpp>

namespace tkl::kernels {

template <class T>
using vector = view<T, row_major<dyn>>;
template <class T>
using matrix = view<T, row_major<dyn, dyn>>;
template <class T>
using images = view<T, nhwc<dyn, dyn, dyn, dyn>>;
/// Out, in per group, rows, columns.
template <class T>
using filters = view<T, row_major<dyn, dyn, dyn, dyn>>;

using reads = const float;

/// Types of a kernel's inputs and parameters, and of its output.
template <class Output, class... Input>
struct signature {};

/// The kernels. The last lines of this file list them; kernels/definitions.hpp says what each computes.
namespace op {

/// c [m, n] = a [m, k] b [k, n].
struct gemm {
  static constexpr std::string_view name = "gemm";
  using type = signature<matrix<float>, matrix<reads>, matrix<reads>>;
};
/// y [m, n] = x [m, k] w [n, k] transposed + bias [n].
struct linear {
  static constexpr std::string_view name = "linear";
  using type = signature<matrix<float>, matrix<reads>, matrix<reads>, vector<reads>>;
};
/// y = x convolved with w, plus bias [out]; any groups, one channel per group included. The weights are packed at each
/// call.
struct conv2d {
  static constexpr std::string_view name = "conv2d";
  using type = signature<images<float>, images<reads>, filters<reads>, vector<reads>, conv2d_params>;
};
struct max_pool2d {
  static constexpr std::string_view name = "max_pool2d";
  using type = signature<images<float>, images<reads>, max_pool2d_params>;
};
struct average_pool2d {
  static constexpr std::string_view name = "average_pool2d";
  using type = signature<images<float>, images<reads>, average_pool2d_params>;
};
/// Along the last axis; y may be x.
struct softmax {
  static constexpr std::string_view name = "softmax";
  using type = signature<matrix<float>, matrix<reads>>;
};
struct log_softmax {
  static constexpr std::string_view name = "log_softmax";
  using type = signature<matrix<float>, matrix<reads>>;
};
/// Rows minus their mean, over their deviation; times scale, plus offset. y may be x.
struct layer_norm {
  static constexpr std::string_view name = "layer_norm";
  using type = signature<matrix<float>, matrix<reads>, vector<reads>, vector<reads>, layer_norm_params>;
};
/// y = f(x), f a function of expr/functions.hpp; y may be x.
template <fixed_text Function>
struct map {
  static constexpr std::string_view name = Function.view();
  using type = signature<vector<float>, vector<reads>>;
};
/// y = f(a, b); y may be one of them.
template <fixed_text Function>
struct map2 {
  static constexpr std::string_view name = Function.view();
  using type = signature<vector<float>, vector<reads>, vector<reads>>;
};

}  // namespace op

template <class... Op>
struct list {};

/// Every kernel: from this list the tables of the levels, the tests and the benchmark are made.
using catalogue =
    list<op::gemm, op::linear, op::conv2d, op::max_pool2d, op::average_pool2d, op::softmax, op::log_softmax,
         op::layer_norm, op::map<"abs">, op::map<"square">, op::map<"sqrt">, op::map<"rsqrt">, op::map<"reciprocal">,
         op::map<"exp">, op::map<"log">, op::map<"relu">, op::map<"relu6">, op::map<"sigmoid">, op::map<"silu">,
         op::map<"hard_swish">, op::map<"tanh">, op::map<"erf">, op::map<"gelu">, op::map<"gelu_tanh">,
         op::map<"softplus">, op::map<"mish">, op::map2<"add">, op::map2<"sub">, op::map2<"mul">, op::map2<"div">,
         op::map2<"min">, op::map2<"max">>;

/// The functions of one kernel at one level.
template <class Op, class Type = typename Op::type>
struct slot;
template <class Op, class Output, class... Input>
struct slot<Op, signature<Output, Input...>> {
  status (*run)(const Input&..., const Output&, scratch_memory);
  std::int64_t (*scratch_bytes)(const Input&..., const Output&);
};

/// The functions of one level.
template <class List>
struct table_of;
template <class... Op>
struct table_of<list<Op...>> : slot<Op>... {};
using table = table_of<catalogue>;

/// The functions of the level that was chosen; the first call chooses. Null when none can be: level() says why.
const table* chosen_table();

/// Chooses the level of the calls from now on: "base", "avx2", "avx512" or "neon"; empty is the highest that runs.
/// Fails, and changes nothing, when the level is not built in or the processor cannot run it.
status select_level(std::string_view level);

/// The level that was chosen; fails as the kernels do when TKL_ARCH names none that runs.
result<cpu_level> level();

/// A kernel as a function of tensors.
template <class Op, class Type = typename Op::type>
struct call;
template <class Op, class Output, class... Input>
struct call<Op, signature<Output, Input...>> {
  TKL_TAGGED status operator()(const Input&... in, const Output& out, scratch_memory scratch = {}) const {
    const table* const t = chosen_table();
    return t != nullptr ? static_cast<const slot<Op>&>(*t).run(in..., out, scratch) : level().error();
  }
  /// Bytes of scratch memory that the call needs; 0 when the stack suffices, or when the call would be refused anyhow.
  TKL_TAGGED std::int64_t scratch_bytes(const Input&... in, const Output& out) const {
    const table* const t = chosen_table();
    return t != nullptr ? static_cast<const slot<Op>&>(*t).scratch_bytes(in..., out) : 0;
  }
};

inline constexpr call<op::gemm> gemm{};
inline constexpr call<op::linear> linear{};
inline constexpr call<op::conv2d> conv2d{};
inline constexpr call<op::max_pool2d> max_pool2d{};
inline constexpr call<op::average_pool2d> average_pool2d{};
inline constexpr call<op::softmax> softmax{};
inline constexpr call<op::log_softmax> log_softmax{};
inline constexpr call<op::layer_norm> layer_norm{};
template <fixed_text Function>
inline constexpr call<op::map<Function>> map{};
template <fixed_text Function>
inline constexpr call<op::map2<Function>> map2{};

}  // namespace tkl::kernels
