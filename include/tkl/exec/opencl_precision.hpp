// SPDX-License-Identifier: Apache-2.0
// Which kernels for OpenCL compute in half precision, where a target allows it: those whose numbers lie in memory as
// f16, and of these element-wise steps of arithmetic alone, and the products of contractions (docs/numerics.md).
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/expr/functions.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {

/// In what kernels compute: f32; or in half precision where that is bounded, on devices with cl_khr_fp16 (values
/// between steps and packed weights are then f16).
enum class opencl_precision : std::uint8_t { f32, half };

/// Functions that are sums, products and choices: each rounds a few times, none enlarges what it is given.
constexpr bool is_arithmetic(int function) {
  for (const int f :
       {function_index<fn::add>,       function_index<fn::sub>,          function_index<fn::mul>,
        function_index<fn::affine>,    function_index<fn::min>,          function_index<fn::max>,
        function_index<fn::neg>,       function_index<fn::abs>,          function_index<fn::square>,
        function_index<fn::floor>,     function_index<fn::round>,        function_index<fn::clip>,
        function_index<fn::relu>,      function_index<fn::relu6>,        function_index<fn::leaky_relu>,
        function_index<fn::prelu>,     function_index<fn::hard_sigmoid>, function_index<fn::hard_swish>,
        function_index<fn::less>,      function_index<fn::less_equal>,   function_index<fn::equal>,
        function_index<fn::not_equal>, function_index<fn::greater>,      function_index<fn::greater_equal>,
        function_index<fn::select>})
    if (f == function) return true;
  return false;
}

/// Whether an element-wise step computes in half precision: it stores f16 and reads it, and its functions are
/// arithmetic. Numbers, and what differs from column to column alone (constants per channel), may be f32: they are
/// rounded as they are loaded.
constexpr bool maps_in_half(const kernel_key& k) {
  if (k.algorithm != algorithm::map || k.out != element::f16 || k.epilogue.size < 2) return false;
  bool reads_half = false;
  for (int i = 0; i < k.epilogue.size; ++i) {
    const symbol s = k.epilogue.at[i];
    if (!s.is_leaf()) {
      if (!is_arithmetic(s.function_index())) return false;
      continue;
    }
    if (s.kind() == leaf_kind::acc || s.kind() == leaf_kind::index) return false;
    const bool rounded =
        s.kind() == leaf_kind::literal || s.kind() == leaf_kind::scalar || s.kind() == leaf_kind::channel;
    if (s.type() != element::f16 && !(rounded && s.type() == element::f32)) return false;
    reads_half = reads_half || (s.type() == element::f16 && s.kind() != leaf_kind::literal);
  }
  return reads_half;
}

/// Whether a contraction multiplies in half precision.
constexpr bool multiplies_in_half(const kernel_key& k) {
  return (k.algorithm == algorithm::conv2d || k.algorithm == algorithm::conv_transpose2d) && k.in == element::f16 &&
         k.weights == element::f16;
}

constexpr bool computes_in_half(const kernel_key& k, opencl_precision p) {
  return p == opencl_precision::half && (maps_in_half(k) || multiplies_in_half(k));
}

}  // namespace tkl
