// SPDX-License-Identifier: Apache-2.0
// A compiled model, described: its report and its drawings. The passes run once more, at run time, since the object
// file keeps only what a run needs.
#pragma once

#include <string>
#include <string_view>
#include <tkl/graph/check.hpp>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/draw_arena.hpp>
#include <tkl/graph/draw_graph.hpp>
#include <tkl/graph/report.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// The whole program of a model for a target, with the storages that a frozen plan no longer has.
template <class Model, class Target>
program describe() {
  return impl::program_of<Model, Target>();
}

namespace impl {

/// A drawing of what is wrong with a model, in the place of one that cannot be drawn.
inline std::string drawn_mistake(std::string_view mistake) {
  svg_writer svg;
  svg.text(12, 24, mistake, {.colour = "#b00020"});
  return svg.document(24 + text_width(mistake, svg_text_style{}.size), 40);
}

}  // namespace impl

// Of a model with a mistake, which compile<> refuses, these say what is wrong with it.

/// The plan as a text: totals, then a row per step.
template <class Model, class Target>
std::string report(std::string_view title = "plan") {
  const program p = describe<Model, Target>();
  if (!p.error.empty()) return std::string(p.error.view()) + '\n';
  plan_view v = view_of(p);
  v.title = title;
  const target_facts facts = Target::facts();
  v.facts = &facts;
  if constexpr (requires { Target::records(); }) v.records = Target::records();
  return report(v);
}

/// The graph as the model built it, before any pass, as a self-contained SVG.
template <class Model>
std::string draw_model(std::string_view title = "graph") {
  graph g;
  build_model<Model>(g);
  if (!g.error.empty()) return impl::drawn_mistake(g.error.view());
  return draw_graph(g, title);
}

/// The steps after all passes as an SVG.
template <class Model, class Target>
std::string draw_steps(std::string_view title = "plan") {
  const program p = describe<Model, Target>();
  if (!p.error.empty()) return impl::drawn_mistake(p.error.view());
  return draw_plan(view_of(p), title);
}

/// The arena over the steps as an SVG.
template <class Model, class Target>
std::string draw_memory(std::string_view title = "arena") {
  const program p = describe<Model, Target>();
  if (!p.error.empty()) return impl::drawn_mistake(p.error.view());
  return draw_arena(view_of(p), title);
}

TKL_ISA_END
}  // namespace tkl
