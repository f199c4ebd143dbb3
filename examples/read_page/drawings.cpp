// SPDX-License-Identifier: Apache-2.0
#include "drawings.hpp"

#include <tkl/cpu.hpp>
#include <tkl/graph/draw_arena.hpp>
#include <tkl/graph/draw_graph.hpp>
#include <tkl/graph/report.hpp>

#include "networks/detector.hpp"
#include "networks/recogniser.hpp"

namespace read_page {
namespace {

using target = tkl::cpu<>;

/// What the compiler makes of a model, made once more while the program runs.
template <class Model>
tkl::program program_of() {
  tkl::graph g;
  tkl::build_model<Model>(g);
  return tkl::make_program(std::move(g), target::facts(),
                           [](const tkl::step& s, const tkl::edge* e) { return target::scratch_bytes(s, e); });
}

template <class Model>
void draw(std::vector<drawing>& all, const std::string& name) {
  const tkl::program p = program_of<Model>();
  const tkl::plan_view view = tkl::view_of(p);
  all.push_back({name + ": the steps that run", tkl::draw_plan(view, name)});
  all.push_back({name + ": the arena over time", tkl::draw_arena(view, name)});
}

}  // namespace

std::vector<drawing> drawings() {
  std::vector<drawing> all;
  draw<recogniser<320>>(all, "Recogniser, 320 columns");
  draw<detector<extent{192, 384}>>(all, "Detector, 192x384");
  return all;
}

}  // namespace read_page
