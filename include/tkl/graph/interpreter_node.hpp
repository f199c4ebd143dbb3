// SPDX-License-Identifier: Apache-2.0
// One graph node by its definition, in double precision: the dispatch from a node's kind to the definitions in op/.
#pragma once

#include <tkl/graph/graph.hpp>
#include <tkl/op/attention.hpp>
#include <tkl/op/cast.hpp>
#include <tkl/op/concat.hpp>
#include <tkl/op/conv.hpp>
#include <tkl/op/definition.hpp>
#include <tkl/op/elementwise.hpp>
#include <tkl/op/keep_first.hpp>
#include <tkl/op/matmul.hpp>
#include <tkl/op/normalise.hpp>
#include <tkl/op/pad.hpp>
#include <tkl/op/pool.hpp>
#include <tkl/op/reduce.hpp>
#include <tkl/op/resize.hpp>
#include <tkl/op/slice.hpp>
#include <tkl/op/softmax.hpp>
#include <tkl/op/transpose.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// Computes node `n` from its operands (in[i] for operand i, max_inputs of them, absent ones without data) into `out`,
/// whose shape is the node's. Results of the types f16, bf16, i8, u8 and i32 are rounded as storing them rounds; f32
/// results keep double precision. Inputs and weights are no business of this function.
inline void evaluate_node(const node& n, const real_input* in, real_output out) {
  const std::int64_t elements = out.shape.elements().value;
  if (elements == 0) return;
  switch (n.kind) {
    case op_kind::input:
    case op_kind::weight:
      return;
    case op_kind::literal:
      out.data[0] = static_cast<double>(static_cast<float>(n.attr.real[0]));
      return;
    case op_kind::map:
      map_definition(in, n.inputs, out, n.attr);
      break;
    case op_kind::cast:
    case op_kind::reshape:
      for (std::int64_t i = 0; i < elements; ++i) out.data[i] = in[0].data[i];
      break;
    case op_kind::keep_first:
      keep_first_definition(in[0], in[1], out, n.attr);
      break;
    case op_kind::conv2d:
      conv2d_definition(in[0], in[1], in[2], out, n.attr);
      break;
    case op_kind::conv_transpose2d:
      conv_transpose2d_definition(in[0], in[1], in[2], out, n.attr);
      break;
    case op_kind::matmul:
      matmul_definition(in[0], in[1], out, n.attr);
      break;
    case op_kind::batch_norm:
      batch_norm_definition(in[0], {in[1], in[2], in[3], in[4]}, out, n.attr);
      break;
    case op_kind::pool2d:
      pool2d_definition(in[0], out, n.attr);
      break;
    case op_kind::reduce:
      reduce_definition(in[0], out, n.attr);
      break;
    case op_kind::softmax:
      softmax_definition(in[0], out, n.attr);
      break;
    case op_kind::layer_norm:
      layer_norm_definition(in[0], in[1], in[2], out, n.attr);
      break;
    case op_kind::attention:
      attention_definition(in[0], in[1], in[2], in[3], out, n.attr);
      break;
    case op_kind::resize2d:
      resize2d_definition(in[0], out, n.attr);
      break;
    case op_kind::pad:
      pad_definition(in[0], out, n.attr);
      break;
    case op_kind::concat:
      concat_definition(in, n.inputs, out, n.attr);
      break;
    case op_kind::slice:
      slice_definition(in[0], out, n.attr);
      break;
    case op_kind::transpose:
      transpose_definition(in[0], out, n.attr);
      break;
  }
  if (n.type == element::f32) return;
  for (std::int64_t i = 0; i < elements; ++i) out.data[i] = stored_as(n.type, out.data[i]);
}

TKL_ISA_END
}  // namespace tkl
