// SPDX-License-Identifier: Apache-2.0
// What each kernel of the catalogue computes, as an expression of its inputs; and the functions of a table, for any
// target. A kernel without a definition is a compile error of every level.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/scratch_memory.hpp>
#include <tkl/kernels.hpp>
#include <tkl/tkl.hpp>

namespace tkl::kernels {
TKL_ISA_BEGIN

template <class Op>
struct definition;

template <>
struct definition<op::gemm> {
  static auto of(const matrix<reads>& a, const matrix<reads>& b) { return tkl::matmul(a, b); }
};
template <>
struct definition<op::linear> {
  static auto of(const matrix<reads>& x, const matrix<reads>& w, const vector<reads>& bias) {
    return tkl::linear(x, w, bias);
  }
};
template <>
struct definition<op::conv2d> {
  static auto of(const images<reads>& x, const filters<reads>& w, const vector<reads>& bias, const conv2d_params& p) {
    return tkl::conv2d(x, w, bias, p);
  }
};
template <>
struct definition<op::max_pool2d> {
  static auto of(const images<reads>& x, const max_pool2d_params& p) { return tkl::max_pool2d(x, p); }
};
template <>
struct definition<op::average_pool2d> {
  static auto of(const images<reads>& x, const average_pool2d_params& p) { return tkl::average_pool2d(x, p); }
};
template <>
struct definition<op::softmax> {
  static auto of(const matrix<reads>& x) { return tkl::softmax(x); }
};
template <>
struct definition<op::log_softmax> {
  static auto of(const matrix<reads>& x) { return tkl::log_softmax(x); }
};
template <>
struct definition<op::layer_norm> {
  static auto of(const matrix<reads>& x, const vector<reads>& scale, const vector<reads>& offset,
                 const layer_norm_params& p) {
    return tkl::layer_norm(x, scale, offset, p);
  }
};

/// Number of the functor of this name and arity in function_list.
template <fixed_text Function, int Arity>
inline constexpr int function_named = [] {
  int found = -1;
  for (int i = 0; i < function_list::size; ++i)
    if (function_list::names[i] == Function.view() && function_list::arities[i] == Arity) found = i;
  return found;
}();

template <fixed_text Function>
requires(function_named<Function, 1> >= 0) struct definition<op::map<Function>> {
  static auto of(const vector<reads>& x) { return tkl::function<function_list::at<function_named<Function, 1>>>{}(x); }
};
template <fixed_text Function>
requires(function_named<Function, 2> >= 0) struct definition<op::map2<Function>> {
  static auto of(const vector<reads>& a, const vector<reads>& b) {
    return tkl::function<function_list::at<function_named<Function, 2>>>{}(a, b);
  }
};

/// A kernel on a target that is made of its scratch memory.
template <class Target, class Op, class Type = typename Op::type>
struct compiled;
template <class Target, class Op, class Output, class... Input>
struct compiled<Target, Op, signature<Output, Input...>> {
  static status run(const Input&... in, const Output& out, scratch_memory scratch) {
    return assign(Target(scratch), out, definition<Op>::of(in...));
  }
  static std::int64_t scratch_bytes(const Input&... in, const Output& out) {
    return tkl::scratch_bytes(Target(), out, definition<Op>::of(in...));
  }
  static constexpr slot<Op> functions{&run, &scratch_bytes};
};

template <class Target, class... Op>
constexpr table_of<list<Op...>> make_table(list<Op...>) {
  return {compiled<Target, Op>::functions...};
}

TKL_ISA_END
}  // namespace tkl::kernels
