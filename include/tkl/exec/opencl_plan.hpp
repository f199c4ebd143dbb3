// SPDX-License-Identifier: Apache-2.0
// The number behind each argument of a kernel in OpenCL C.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/exec/device_plan.hpp>
#include <tkl/exec/opencl_text_of.hpp>
#include <tkl/graph/plan.hpp>

namespace tkl {

/// The edge that an argument speaks of; -1 where it speaks of none.
constexpr std::int16_t edge_of(const text_argument& a, const step& s) {
  return edge_of(a.which, a.slot, s);
}

/// The number of an operand slot that holds one.
constexpr float literal_of(const text_argument& a, const step& s) {
  return a.which == role::prologue ? s.prologue_literal[a.slot] : s.literal[a.slot];
}

/// The number behind an argument that is an integer.
constexpr std::int32_t integer_of(const text_argument& a, const step& s, const edge* edges, std::int32_t table_at) {
  const step_parameters& p = s.parameters;
  switch (a.kind) {
    case argument_kind::offset: {
      const edge& e = edges[edge_of(a, s)];
      return static_cast<std::int32_t>(e.offset / static_cast<std::int64_t>(size_of(e.type)));
    }
    case argument_kind::extent:
      return edges[edge_of(a, s)].extent[a.axis];
    case argument_kind::stride:
      return edges[edge_of(a, s)].stride[a.axis];
    case argument_kind::axis:
      return static_cast<std::int32_t>(literal_of(a, s));
    case argument_kind::table_at:
      return table_at;
    case argument_kind::parameter:
      switch (static_cast<parameter>(a.slot)) {
        case parameter::kernel:
          return p.kernel[a.axis];
        case parameter::stride:
          return p.stride[a.axis];
        case parameter::dilation:
          return p.dilation[a.axis];
        case parameter::pad:
          return p.pad[a.axis];
        case parameter::groups:
          return p.groups;
        case parameter::include_pad:
          return p.include_pad ? 1 : 0;
        case parameter::heads:
          return p.heads;
        case parameter::reach:
          return p.reach;
      }
      return 0;
    default:
      return 0;
  }
}

/// The number behind an argument that is a float.
constexpr float float_of(const text_argument& a, const step& s) {
  return a.kind == argument_kind::real ? s.parameters.real[a.axis] : literal_of(a, s);
}
constexpr bool is_float(const text_argument& a) {
  return a.kind == argument_kind::real || a.kind == argument_kind::literal;
}
constexpr bool is_buffer(const text_argument& a) {
  return a.kind == argument_kind::buffer || a.kind == argument_kind::tables;
}

/// Bytes of a kernel's arguments, pointers of 64 bits.
constexpr std::int64_t argument_bytes(const opencl_kernel& k) {
  std::int64_t n = 0;
  for (int i = 0; i < k.arguments; ++i) n += is_buffer(k.argument[i]) ? 8 : 4;
  return n;
}

}  // namespace tkl
