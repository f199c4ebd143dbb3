// SPDX-License-Identifier: Apache-2.0
// Which schedules tools/tune.py may try for the steps of a model: those that the concepts admit, less those that run
// alike, less all but the few with the least estimate (cycles.hpp).
//
// list<Model, Target>(most) prints lines of JSON: the device; the plan; one line for each kind of step with its steps,
// the default and the candidates, each as the C++ of a tuned_record's member.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tkl/cpu.hpp>
#include <tkl/exec/tuned_check.hpp>
#include <tkl/graph/describe.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/tuned_record.hpp>
#include <utility>
#include <vector>

#include "cycles.hpp"

namespace tune {

/// Register tiles with blocks; the last depth is that of the architecture's own schedule.
template <class Arch>
constexpr auto tile_grid() {
  const int rows[]{1, 2, 3, 4, 5, 6, 8, 10, 12, 14}, vectors[]{1, 2, 3, 4}, blocks[]{4, 8, 16};
  const int depths[]{64, 128, 192, 256, 384, 512, Arch::gemm.kc};
  std::array<tkl::gemm_schedule, 10 * 4 * 7 * 3> all;
  std::size_t n = 0;
  for (int mr : rows)
    for (int nr : vectors)
      for (int kc : depths)
        for (int block : blocks) all[n++] = {mr, nr, kc, block * mr, Arch::gemm.nc};
  return all;
}

template <class Arch>
constexpr auto all_tiles = tile_grid<Arch>();

constexpr auto attention_grid() {
  const int rows[]{2, 3, 4, 5, 6, 8, 10, 12}, vectors[]{1, 2, 3}, blocks[]{1, 2, 3, 4, 6}, keys[]{8, 16, 32};
  std::array<tkl::attention_schedule, 8 * 3 * 5 * 3> all;
  std::size_t n = 0;
  for (int mr : rows)
    for (int nr : vectors)
      for (int block : blocks)
        for (int key : keys) all[n++] = {mr, nr, nr * block, mr * key};
  return all;
}
constexpr auto all_attention = attention_grid();

/// `side`: of the filter that the code is specialised on, or 0.
template <int Side>
constexpr auto depthwise_grid() {
  std::array<tkl::depthwise_schedule, 16 * 4> all;
  std::size_t n = 0;
  for (int tile = 1; tile <= 16; ++tile)
    for (int group = 1; group <= tkl::max_depthwise_group; group *= 2)
      all[n++] = {Side, Side, Side > 0 ? 1 : 0, tile, group};
  return all;
}
template <int Side>
constexpr auto all_depthwise = depthwise_grid<Side>();

/// Those of a table that the concepts admit for Arch.
template <class Arch, const auto& Table>
auto admitted() {
  constexpr auto good = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<bool, sizeof...(I)>{tkl::refusal_of<Arch, Table[I]>().empty()...};
  }
  (std::make_index_sequence<Table.size()>{});
  std::vector<typename std::remove_cvref_t<decltype(Table)>::value_type> all;
  for (std::size_t i = 0; i < good.size(); ++i)
    if (good[i]) all.push_back(Table[i]);
  return all;
}

struct candidate {
  tkl::tuned_record record{};
  std::vector<contraction_loops> loops{};  // one per step; of contractions
  double cycles = 0;                       // of all steps
};

/// Steps of one kind.
struct step_group {
  tkl::step_kind kind{};
  std::vector<int> steps{};
  candidate standard{};
  std::vector<candidate> candidates{};
  std::size_t admitted = 0;
};

template <class Arch>
void estimate(candidate& c, const step_group& g, const tkl::program& p) {
  for (const int i : g.steps) {
    const tkl::step& s = p.steps[static_cast<std::size_t>(i)];
    const tkl::edge* e = p.edges.data();
    const tkl::schedule_kind kind = tkl::schedule_kind_of(s.algorithm);
    if (kind == tkl::schedule_kind::depthwise) {
      c.cycles += depthwise_cycles<Arch>(s, e, c.record.depthwise);
    } else if (kind == tkl::schedule_kind::attention) {
      c.cycles += attention_cycles<Arch>(s, e, c.record.attention);
    } else {
      const bool conv = kind == tkl::schedule_kind::conv;
      const product q = product_of(s, e, c.record.conv);
      const int band = s.algorithm == tkl::algorithm::conv2d_staged ? c.record.conv.band : 0;
      c.loops.push_back(loops_of<Arch>(s, q, conv ? c.record.conv.gemm() : c.record.gemm, band));
      c.cycles += contraction_cycles<Arch>(q, c.loops.back());
    }
  }
}

/// Every record that the concepts admit for a kind.
template <class Arch>
std::vector<tkl::tuned_record> admitted_records(const step_group& g) {
  std::vector<tkl::tuned_record> all;
  const auto add = [&](auto member, const auto& schedule) {
    tkl::tuned_record r{.kind = g.kind};
    r.*member = schedule;
    all.push_back(r);
  };
  using record = tkl::tuned_record;
  switch (tkl::schedule_kind_of(g.kind.algorithm)) {
    case tkl::schedule_kind::conv:
      for (const tkl::gemm_schedule& s : admitted<Arch, all_tiles<Arch>>()) {
        if (s.nr != Arch::conv.nr) continue;  // the panels of the packed weights, see refusal_of
        tkl::conv_schedule c = tkl::conv_from(s);
        c.band = Arch::conv.band;
        if (g.kind.algorithm != tkl::algorithm::conv2d_staged) {
          add(&record::conv, c);
        } else {
          for (c.band = 1; c.band <= 16; c.band *= 2) add(&record::conv, c);
        }
      }
      break;
    case tkl::schedule_kind::gemm:
      for (const auto& s : admitted<Arch, all_tiles<Arch>>()) add(&record::gemm, s);
      break;
    case tkl::schedule_kind::attention:
      for (const auto& s : admitted<Arch, all_attention>()) add(&record::attention, s);
      break;
    case tkl::schedule_kind::depthwise: {
      const int side = tkl::with_filter_of({}, g.kind.shape.depth).columns;
      for (auto s : side == 3   ? admitted<Arch, all_depthwise<3>>()
                    : side == 5 ? admitted<Arch, all_depthwise<5>>()
                                : admitted<Arch, all_depthwise<0>>())
        add(&record::depthwise, tkl::depthwise_schedule{.tile = s.tile, .group = s.group});
      break;
    }
    case tkl::schedule_kind::none:
      break;
  }
  return all;
}

/// Fills in the default, and the `most` candidates with the least estimate.
template <class Arch>
void choose(step_group& g, const tkl::program& p, std::size_t most) {
  tkl::tuned_record& r = g.standard.record;
  r.kind = g.kind;
  r.conv = Arch::conv, r.gemm = Arch::gemm, r.attention = Arch::attention;
  const tkl::kernel_key& key = p.keys[static_cast<std::size_t>(p.steps[static_cast<std::size_t>(g.steps[0])].kernel)];
  r.depthwise = {};
  if (g.kind.algorithm == tkl::algorithm::depthwise) {
    const tkl::depthwise_schedule d =
        tkl::depthwise_schedule_for(key.variant[0], key.variant[1], key.variant[2], 1, 1, Arch::depthwise_tile);
    r.depthwise = {.tile = d.tile, .group = d.group};
  }
  estimate<Arch>(g.standard, g, p);
  std::vector<candidate> all;
  for (const tkl::tuned_record& admitted : admitted_records<Arch>(g)) {
    candidate c{admitted};
    estimate<Arch>(c, g, p);
    all.push_back(std::move(c));
  }
  g.admitted = all.size();
  std::stable_sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) { return a.cycles < b.cycles; });
  const auto runs_as = [](const candidate& a, const candidate& b) {
    if (!a.loops.empty()) return a.loops == b.loops;
    return a.record.depthwise == b.record.depthwise && a.record.attention == b.record.attention;
  };
  for (candidate& c : all) {
    if (g.candidates.size() == most) break;
    bool known = runs_as(c, g.standard);
    for (const candidate& other : g.candidates) known = known || runs_as(c, other);
    if (!known) g.candidates.push_back(std::move(c));
  }
}

/// The schedule of a record as C++: a member of tuned_record with its value.
inline std::string member_text(const tkl::tuned_record& r) {
  const auto numbers = [](std::string head, std::initializer_list<std::pair<const char*, int>> all) {
    for (const auto& [name, value] : all)
      head += (head.back() == '{' ? "." : ", .") + std::string(name) + " = " + std::to_string(value);
    return head + '}';
  };
  switch (tkl::schedule_kind_of(r.kind.algorithm)) {
    case tkl::schedule_kind::conv:
      return numbers(
          ".conv = {",
          {{"mr", r.conv.mr}, {"nr", r.conv.nr}, {"kc", r.conv.kc}, {"mc", r.conv.mc}, {"band", r.conv.band}});
    case tkl::schedule_kind::gemm:
      return numbers(".gemm = {",
                     {{"mr", r.gemm.mr}, {"nr", r.gemm.nr}, {"kc", r.gemm.kc}, {"mc", r.gemm.mc}, {"nc", r.gemm.nc}});
    case tkl::schedule_kind::depthwise:
      return numbers(".depthwise = {", {{"tile", r.depthwise.tile}, {"group", r.depthwise.group}});
    case tkl::schedule_kind::attention:
      return numbers(".attention = {", {{"mr", r.attention.mr},
                                        {"nr", r.attention.nr},
                                        {"queries", r.attention.queries},
                                        {"keys", r.attention.keys}});
    case tkl::schedule_kind::none:
      break;
  }
  return {};
}

inline std::string kind_code(const tkl::step_kind& k) {
  const auto element = [](tkl::element e) { return "tkl::" + std::string(tkl::name_of(e)); };
  return "{.algorithm = tkl::algorithm::" + std::string(tkl::name_of(k.algorithm)) + ", .shape = {" +
         std::to_string(k.shape.rows) + ", " + std::to_string(k.shape.depth) + ", " + std::to_string(k.shape.columns) +
         "}, .in = " + element(k.in) + ", .weights = " + element(k.weights) + ", .out = " + element(k.out) + '}';
}

/// A text of JSON.
inline std::string quoted(std::string_view s) {
  std::string t = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') t += '\\';
    t += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return t + '"';
}

inline std::string json(const candidate& c) {
  return "{\"code\": " + quoted(member_text(c.record)) + ", \"text\": " + quoted(tkl::schedule_text(c.record).view()) +
         ", \"cycles\": " + std::to_string(static_cast<std::int64_t>(c.cycles)) + '}';
}

inline std::string json(const step_group& g, const tkl::plan_view& p) {
  tkl::text<160> kind;
  kind << g.kind;
  std::string t = "{\"kind\": " + quoted(kind_code(g.kind)) + ", \"text\": " + quoted(kind.view()) +
                  ", \"name\": " + quoted(tkl::label_of_step(p, g.steps[0])) + ", \"steps\": [";
  for (const int i : g.steps) t += (t.back() == '[' ? "" : ", ") + std::to_string(i);
  t += "], \"admitted\": " + std::to_string(g.admitted) + ", \"default\": " + json(g.standard) + ", \"candidates\": [";
  for (const candidate& c : g.candidates) t += (t.back() == '[' ? "" : ", ") + json(c);
  return t + "]}\n";
}

template <class Model, class Target>
int list(std::size_t most) {
  using arch = typename Target::arch_type;
  const tkl::program p = tkl::describe<Model, Target>();
  if (!p.error.empty()) return std::fprintf(stderr, "%s\n", p.error.c_str()), 1;
  const tkl::plan_view view = tkl::view_of(p);
  std::vector<step_group> groups;
  for (int i = 0; i < view.step_count; ++i) {
    const tkl::step_kind kind = tkl::kind_of(view.steps[i], view.edges);
    if (tkl::schedule_kind_of(kind.algorithm) == tkl::schedule_kind::none) continue;
    auto g = std::find_if(groups.begin(), groups.end(), [&](const step_group& x) { return x.kind == kind; });
    if (g == groups.end()) g = groups.insert(g, {.kind = kind});
    g->steps.push_back(i);
  }
  const tkl::tuned_device d = tkl::device_of<arch>();
  std::printf(
      "{\"version\": %d, \"device\": {\"name\": %s, \"registers\": %d, \"width_f32\": %d, \"cache\": [%lld, %lld, "
      "%lld]}}\n",
      tkl::tuning_version, quoted(d.name).c_str(), d.registers, d.width_f32, static_cast<long long>(d.cache.l1),
      static_cast<long long>(d.cache.l2), static_cast<long long>(d.cache.l3));
  std::string plan;
  for (int i = 0; i < view.step_count; ++i) {
    const tkl::step& s = view.steps[i];
    plan += tkl::algorithm_text(view, s) + ' ' + (s.in[0] < 0 ? "" : tkl::shape_text(view.edges[s.in[0]])) + ' ' +
            tkl::shape_text(view.edges[s.out]) + ' ' + tkl::window_text(s) + tkl::epilogue_text(view, s) + '\n';
  }
  std::printf("{\"plan\": %s}\n", quoted(plan).c_str());
  for (step_group& g : groups) {
    choose<arch>(g, p, most);
    std::fputs(json(g, view).c_str(), stdout);
  }
  return 0;
}

}  // namespace tune
