// SPDX-License-Identifier: Apache-2.0
// What devices share that run the algorithms of algo/work_item/: from a kernel key to its algorithm, the counts of
// items, and what they do not run.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/algo/map_traits.hpp>
#include <tkl/algo/work_item/attention.hpp>
#include <tkl/algo/work_item/conv2d.hpp>
#include <tkl/algo/work_item/conv2d_staged.hpp>
#include <tkl/algo/work_item/conv_transpose2d.hpp>
#include <tkl/algo/work_item/depthwise.hpp>
#include <tkl/algo/work_item/layer_norm.hpp>
#include <tkl/algo/work_item/map.hpp>
#include <tkl/algo/work_item/matmul.hpp>
#include <tkl/algo/work_item/pad.hpp>
#include <tkl/algo/work_item/pool2d.hpp>
#include <tkl/algo/work_item/reduce.hpp>
#include <tkl/algo/work_item/resize2d.hpp>
#include <tkl/algo/work_item/softmax.hpp>
#include <tkl/graph/plan.hpp>
#include <type_traits>

namespace tkl {

/// Whether a kernel stores indices, for which it has no epilogue.
constexpr bool stores_indices(const kernel_key& k) {
  return k.algorithm == algorithm::reduce && k.variant[0] == static_cast<int>(reduce_kind::argmax);
}
/// Whether the columns of a kernel's output may be apart.
constexpr bool stores_apart(const kernel_key& k) {
  return k.algorithm == algorithm::map && k.variant[0] != 0;
}

/// Why no algorithm of work items runs a step; empty when one does.
constexpr std::string_view item_unsupported(const step& s, const kernel_key& k, const edge* edges) {
  switch (k.algorithm) {
    case algorithm::reduce:
      if (k.variant[1] == 0) return "a reduction over no axis has no kernel of work items";
      break;
    default:
      break;
  }
  const auto too_large = [&](std::int16_t e) {
    if (e < 0) return false;
    std::int64_t last = edges[e].offset;  // the farthest element, in bytes
    for (int i = 0; i < plan_rank; ++i) {
      const std::int64_t step = edges[e].stride[i] < 0 ? -std::int64_t{edges[e].stride[i]} : edges[e].stride[i];
      last += (edges[e].extent[i] > 0 ? edges[e].extent[i] - 1 : 0) * step *
              static_cast<std::int64_t>(size_of(edges[e].type));
    }
    return last > 0x7fffffff;
  };
  bool large = too_large(s.out) || too_large(s.weight);
  for (std::int16_t e : s.in) large = large || too_large(e);
  for (std::int16_t e : s.operand) large = large || too_large(e);
  for (std::int16_t e : s.prologue_operand) large = large || too_large(e);
  return large ? "a tensor reaches beyond 2147483647 bytes, kernels count in 32 bits" : "";
}

/// Items along each dimension that a step needs; a count may be 0. `map_columns`: those that an item of an element-wise
/// step computes.
constexpr item_counts items_of_step(const work_item_schedule& schedule, const step& s, const kernel_key& k,
                                    const edge* edges, int map_columns = item_width) {
  const std::int32_t* out = edges[s.out].extent;
  switch (k.algorithm) {
    case algorithm::conv2d:
      return items_of_groups(out, s.parameters.groups, item_width * schedule.vectors, schedule.pixels);
    case algorithm::conv2d_staged:
    case algorithm::matmul:
      return items_of_output(out, item_width * schedule.vectors, schedule.pixels);
    case algorithm::conv_transpose2d:
      return conv_transpose2d_items(schedule, out, s.parameters.groups, s.parameters.stride[1]);
    case algorithm::attention:
      return items_of_groups(out, s.parameters.heads, item_width, 1);
    case algorithm::map:
      return items_of_output(out, map_columns, 1);
    case algorithm::depthwise:
      return items_of_output(out, item_width, schedule.pixels);
    case algorithm::softmax:
    case algorithm::layer_norm:
      return out[3] == 0 ? item_counts{{0, 0, 0}} : items_of_rows(out);
    case algorithm::reduce:
      return reduce_items(out, (k.variant[1] & 8) != 0 || k.variant[0] == static_cast<int>(reduce_kind::argmax));
    default:
      return items_of_output(out, item_width, 1);
  }
}

TKL_ISA_BEGIN
namespace impl {

/// What one item of a kernel does.
template <kernel_key K, work_item_schedule S, class M>
constexpr void run_item(M& m) {
  if constexpr (K.algorithm == algorithm::map) {
    map_item(m);
  } else if constexpr (K.algorithm == algorithm::conv2d) {
    conv2d_item<S>(m);
  } else if constexpr (K.algorithm == algorithm::conv2d_staged) {
    conv2d_staged_item<S>(m);
  } else if constexpr (K.algorithm == algorithm::conv_transpose2d) {
    conv_transpose2d_item<S>(m);
  } else if constexpr (K.algorithm == algorithm::matmul) {
    matmul_item<S, K.variant[0] != 0, K.variant[1] != 0>(m);
  } else if constexpr (K.algorithm == algorithm::attention) {
    attention_item<K.variant[0] != 0>(m);
  } else if constexpr (K.algorithm == algorithm::depthwise) {
    depthwise_item<S, K.variant[1], K.variant[2]>(m);
  } else if constexpr (K.algorithm == algorithm::pool2d) {
    pool2d_item<static_cast<pool_kind>(K.variant[0])>(m);
  } else if constexpr (K.algorithm == algorithm::softmax) {
    softmax_item<static_cast<softmax_kind>(K.variant[0])>(m);
  } else if constexpr (K.algorithm == algorithm::layer_norm) {
    layer_norm_item(m);
  } else if constexpr (K.algorithm == algorithm::pad) {
    pad_item(m);
  } else if constexpr (K.algorithm == algorithm::resize2d) {
    resize2d_item<static_cast<resize_kind>(K.variant[0])>(m);
  } else if constexpr (K.algorithm == algorithm::reduce && K.variant[1] != 0) {
    if constexpr (static_cast<reduce_kind>(K.variant[0]) == reduce_kind::argmax) {
      argmax_item<K.variant[1]>(m);
    } else {
      reduce_item<static_cast<reduce_kind>(K.variant[0]), K.variant[1]>(m);
    }
  }
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
