// SPDX-License-Identifier: Apache-2.0
// What a step's weights and constants are stored as where a target rounds weights, and why some keep f32: for reports.
#pragma once

#include <cstdint>
#include <string>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/plan_view.hpp>
#include <tkl/graph/program.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// "weights f16, biases f32; scale f32: a vector, or also read otherwise"; empty where the target keeps weights in f32,
/// or the step has none.
inline std::string weights_text(const plan_view& p, const step& s) {
  if (p.facts == nullptr || p.facts->packed == element::f32) return {};
  std::string t;
  const auto add = [&](const std::string& one) { t += (t.empty() ? "" : "; ") + one; };
  if (s.weight >= 0) {
    const element type = p.edges[s.weight].type;
    std::string own = "weights " + std::string(name_of(type));
    if (type != element::f32)
      own += p.facts->wide_biases ? ", biases f32" : "";
    else if (s.algorithm == algorithm::winograd)
      own += ": they are transformed";
    else
      own += ": this target's kernels round them when they read them";
    add(own);
  }
  const auto constant = [&](std::int16_t e, const char* why_not) {
    if (e < 0 || p.edges[e].where != space::weights) return;
    const element type = p.edges[e].type;
    add(label_of_edge(p, e) + ' ' + std::string(name_of(type)) + (type == element::f32 ? why_not : ""));
  };
  for (const std::int16_t e : s.in) constant(e, ": other inputs of the step are");
  for (const std::int16_t e : s.prologue_operand) constant(e, ": a prologue reads it");
  for (const std::int16_t e : s.operand) constant(e, ": a vector, or also read otherwise");
  return t;
}

/// ", 1.20 MiB of them of 16 bits"; empty where the target keeps weights in f32. Counted once for each storage.
inline std::string narrow_weights_text(const plan_view& p) {
  if (p.facts == nullptr || p.facts->packed == element::f32) return {};
  std::int64_t bytes = 0;
  for (int i = 0; i < p.storage_count; ++i) {
    if (p.storages[i].where != space::weights) continue;
    for (int e = 0; e < p.edge_count; ++e) {
      if (p.edge_storage[e] != i) continue;
      if (size_of(p.edges[e].type) == 2) bytes += p.storages[i].bytes;
      break;
    }
  }
  return ", " + bytes_text(bytes) + " of them of 16 bits";
}

TKL_ISA_END
}  // namespace tkl
