// SPDX-License-Identifier: Apache-2.0
// What one step of a plan costs: arithmetic of its algorithm, and the bytes that it must move.
#pragma once

#include <cstdint>
#include <tkl/graph/plan_view.hpp>

namespace tkl {

struct step_cost {
  std::int64_t flops = 0;          // a multiply-add is two; fused functions are not counted, those of a map are
  std::int64_t bytes_read = 0;     // each operand once, without packed weights
  std::int64_t bytes_written = 0;  // the result once
  std::int64_t weight_bytes = 0;   // packed weights
};

constexpr std::int64_t elements_of(const edge& e) {
  std::int64_t n = 1;
  for (int i = 0; i < plan_rank; ++i) n *= e.extent[i];
  return n;
}

/// Bytes of an edge; elements that a stride of 0 repeats count once.
constexpr std::int64_t bytes_of(const edge& e) {
  auto n = static_cast<std::int64_t>(size_of(e.type));
  for (int i = 0; i < plan_rank; ++i)
    if (e.stride[i] != 0 || e.extent[i] == 0) n *= e.extent[i];
  return n;
}

namespace detail {

constexpr std::int64_t flops_of(const plan_view& p, const step& s) {
  const edge& y = p.edges[s.out];
  const std::int64_t out = elements_of(y);
  const step_parameters& q = s.parameters;
  const std::int64_t window = std::int64_t{q.kernel[0]} * q.kernel[1];
  if (s.algorithm == algorithm::map) {
    int functions = 0;
    if (p.kernels != nullptr)
      for (int i = 0; i < p.kernels[s.kernel].epilogue.size; ++i)
        functions += !p.kernels[s.kernel].epilogue.at[i].is_leaf();
    return out * functions;
  }
  if (s.in[0] < 0) return 0;
  const edge& x = p.edges[s.in[0]];
  switch (s.algorithm) {
    case algorithm::conv2d:
    case algorithm::conv2d_staged:
    case algorithm::winograd:
      return 2 * out * window * (x.extent[3] / q.groups);
    case algorithm::depthwise:
      return 2 * out * window;
    case algorithm::conv_transpose2d:
      return 2 * elements_of(x) * window * (y.extent[3] / q.groups);
    case algorithm::conv_chain: {
      std::int64_t sum = 0;
      for (int i = 0; i < q.mode; ++i) sum += flops_of(p, p.stages[s.stage + i]);
      return sum;
    }
    case algorithm::matmul:
      return 2 * out * x.extent[3];
    case algorithm::pool2d:
      return out * window;
    case algorithm::reduce:
      return elements_of(x);
    case algorithm::softmax:
    case algorithm::layer_norm:
      return 8 * out;
    case algorithm::attention: {
      const std::int64_t keys = s.in[1] < 0 ? 0 : p.edges[s.in[1]].extent[2];
      return 2 * keys * (elements_of(x) + out);
    }
    case algorithm::resize2d:
      return q.mode ? 7 * out : 0;
    case algorithm::pad:
    case algorithm::map:
      break;
  }
  return 0;
}

}  // namespace detail

constexpr step_cost cost_of(const plan_view& p, int step_number) {
  const step& s = p.steps[step_number];
  step_cost c;
  const step_reads reads = reads_of(s);
  for (int i = 0; i < reads.count; ++i) {
    const std::int64_t bytes = bytes_of(p.edges[reads.at[i].edge]);
    (reads.at[i].role == edge_role::weight ? c.weight_bytes : c.bytes_read) += bytes;
  }
  for (int i = 0; s.algorithm == algorithm::conv_chain && i < s.parameters.mode; ++i)
    c.weight_bytes += bytes_of(p.edges[p.stages[s.stage + i].weight]);
  c.bytes_written = bytes_of(p.edges[s.out]);
  c.flops = detail::flops_of(p, s);
  return c;
}

constexpr step_cost cost_of(const plan_view& p) {
  step_cost sum;
  for (int i = 0; i < p.step_count; ++i) {
    const step_cost c = cost_of(p, i);
    sum.flops += c.flops;
    sum.bytes_read += c.bytes_read;
    sum.bytes_written += c.bytes_written;
    sum.weight_bytes += c.weight_bytes;
  }
  return sum;
}

}  // namespace tkl
