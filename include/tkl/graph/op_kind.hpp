// SPDX-License-Identifier: Apache-2.0
// The kinds of graph nodes, and what passes must know about each.
#pragma once

#include <cstdint>
#include <string_view>

namespace tkl {

enum class op_kind : std::uint8_t {
  input,             // a tensor that the caller brings
  weight,            // a named tensor of the weights file
  literal,           // one number
  map,               // an element-wise function of up to three operands, broadcasting
  cast,              // element type conversion
  keep_first,        // zero beyond a count along an axis; the count is a graph value
  conv2d,            // cross-correlation, groups and depthwise included
  conv_transpose2d,  //
  matmul,            // batched matrix product
  batch_norm,        // inference form; folds into a contraction or becomes an affine map
  pool2d,            // max or average
  reduce,            // sum, mean, max, min, argmax over axes
  softmax,           // softmax or log-softmax over the last axis
  layer_norm,        // over the last axis
  attention,         // softmax(q k^T scale + mask) v per head
  resize2d,          // nearest or bilinear
  pad,               // constant border
  concat,            //
  slice,             // begin and step per axis
  transpose,         // permutation of axes
  reshape,           //
};
inline constexpr int op_kinds = static_cast<int>(op_kind::reshape) + 1;

struct op_facts {
  std::string_view name;
  bool leaf = false;     // has no inputs
  bool view = false;     // may be expressed as offsets and strides of its input
  bool epilogue = true;  // an element-wise expression of its result may fuse into it
};

inline constexpr op_facts facts_of_ops[op_kinds] = {
    {"input", true},
    {"weight", true},
    {"literal", true},
    {"map"},
    {"cast"},
    {"keep_first"},
    {"conv2d"},
    {"conv_transpose2d"},
    {"matmul"},
    {"batch_norm"},
    {"pool2d"},
    {"reduce"},
    {"softmax"},
    {"layer_norm"},
    {"attention"},
    {"resize2d"},
    {"pad"},
    {"concat", false, false, false},
    {"slice", false, true, false},
    {"transpose", false, true, false},
    {"reshape", false, true, false},
};
constexpr const op_facts& facts_of(op_kind k) {
  return facts_of_ops[static_cast<int>(k)];
}
constexpr std::string_view name_of(op_kind k) {
  return facts_of(k).name;
}

}  // namespace tkl
