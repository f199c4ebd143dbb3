// SPDX-License-Identifier: Apache-2.0
// Draws the arena over time: steps from left to right, bytes from the bottom up, one rectangle per value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/graph/draw_graph.hpp>
#include <tkl/graph/draw_svg.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/plan_view.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// A value in the arena, from the step that first writes it to the one that last reads it.
struct arena_span {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  int first = -1;
  int last = -1;
  int next = -1;  // step that writes another value in its place
  draw_kind kind = draw_kind::elementwise;
  std::string name{};
};

/// Lifetimes are taken from the steps, not from the planner.
inline std::vector<arena_span> arena_spans(const plan_view& p) {
  std::vector<arena_span> spans(static_cast<std::size_t>(p.storage_count));
  const auto touch = [&](int e, int step) -> arena_span& {
    arena_span& s = spans[static_cast<std::size_t>(p.edge_storage[e])];
    if (s.first < 0) s.first = step;
    s.last = step;
    return s;
  };
  for (int i = 0; i < p.step_count; ++i) {
    const step& s = p.steps[i];
    const step_reads reads = reads_of(s);
    for (int k = 0; k < reads.count; ++k) touch(reads.at[k].edge, i);
    if (s.scratch >= 0) {
      arena_span& x = touch(s.scratch, i);
      x.kind = draw_kind::scratch;
      x.name = "scratch";
    }
    arena_span& out = touch(s.out, i);
    if (out.name.empty()) {
      out.kind = kind_of(s.algorithm);
      out.name = '#' + std::to_string(i);
      if (const std::string_view name = label_of_step(p, i); !name.empty()) out.name += ' ' + std::string(name);
    }
  }
  for (int i = 0; i < p.storage_count; ++i) {
    arena_span& s = spans[static_cast<std::size_t>(i)];
    s.offset = p.storages[p.home_of(i)].offset;
    s.bytes = p.storages[i].bytes;
    if (p.storages[i].where != space::arena || s.bytes == 0) s.first = -1;
    if (s.first < 0) continue;
    // In-place results of one home take over one from the other.
    for (int k = 0; k < p.storage_count; ++k) {
      const arena_span& other = spans[static_cast<std::size_t>(k)];
      if (p.home_of(k) != p.home_of(i) || other.first <= s.first) continue;
      if (s.next < 0 || other.first < s.next) s.next = other.first;
    }
  }
  std::erase_if(spans, [](const arena_span& s) { return s.first < 0; });
  return spans;
}

/// A round number of bytes that divides `bytes` into four to eight parts.
inline std::int64_t tick_bytes(std::int64_t bytes) {
  std::int64_t tick = 64;
  while (bytes / tick > 8) tick *= 2;
  return tick;
}

}  // namespace impl

/// The arena of a plan over time. A name that does not fit its rectangle is shown when the pointer rests on it.
inline std::string draw_arena(const plan_view& p, std::string_view title = "arena") {
  using namespace impl;  // NOLINT(google-build-using-namespace): of this header alone
  constexpr double left = 78, top = 84, height = 460, bottom = 46, font = 10;
  const double column = (std::max)(20.0, 900.0 / (std::max)(1, p.step_count));
  const double width = column * p.step_count;
  const double scale = height / static_cast<double>((std::max<std::int64_t>)(1, p.arena_bytes));
  const auto y_of = [&](std::int64_t byte) { return top + height - static_cast<double>(byte) * scale; };

  svg_writer svg;
  const std::string head = std::string(title) + ": arena of " + bytes_text(p.arena_bytes) + " over " +
                           std::to_string(p.step_count) + " steps" +
                           (p.lower_bound > 0 ? ", lower bound " + bytes_text(p.lower_bound) + " (ratio " +
                                                    ratio_text(p.arena_bytes, p.lower_bound) + ')'
                                              : "");
  svg.text(16, 24, head, {.size = 15, .bold = true});

  const std::int64_t tick = tick_bytes(p.arena_bytes);
  for (std::int64_t byte = 0; byte <= p.arena_bytes; byte += tick) {
    svg.line(left, y_of(byte), left + width, y_of(byte), "#ddd");
    svg.text(left - 8, y_of(byte) + 4, bytes_text(byte), {.size = font, .colour = "#444", .anchor = "end"});
  }
  const int label_every = column >= 26 ? 1 : 2;
  for (int i = 0; i < p.step_count; i += label_every) {
    const double x = left + (i + 0.5) * column;
    svg.text(x, top + height + 16, std::to_string(i), {.size = font, .colour = "#444", .anchor = "middle"});
  }
  svg.text(left + width / 2, top + height + 34, "step", {.anchor = "middle"});

  unsigned used = 0;
  if (p.storages != nullptr && p.edge_storage != nullptr) {
    for (const arena_span& s : arena_spans(p)) {
      used |= 1u << static_cast<int>(s.kind);
      const int end = s.next > s.first ? s.next : s.last + 1;  // the step that takes over belongs to the new value
      const double x = left + s.first * column, w = (end - s.first) * column;
      const double y = y_of(s.offset + s.bytes), h = static_cast<double>(s.bytes) * scale;
      svg.rect(x + 0.5, y, w - 1, h, fill_of(s.kind), h < 3 ? "none" : "#777",
               s.name + "\nsteps " + std::to_string(s.first) + " to " + std::to_string(s.last) + "\nbytes [" +
                   std::to_string(s.offset) + ", " + std::to_string(s.offset + s.bytes) + "), " + bytes_text(s.bytes),
               h < 6 ? 0 : 2);
      // The name, or only its number, along the rectangle or upright in it.
      const std::string number = s.name.substr(0, s.name.find(' '));
      for (const std::string& label : {s.name, number}) {
        const double length = text_width(label, font) + 6;
        if (h >= font + 3 && length <= w) {
          svg.text(x + w / 2, y + h / 2 + 3.5, label, {.size = font, .anchor = "middle"});
          break;
        }
        if (w >= font + 4 && length <= h) {
          svg.text(x + w / 2 + 3.5, y + h / 2, label, {.size = font, .anchor = "middle", .rotate = -90});
          break;
        }
      }
    }
  }
  if (p.lower_bound > 0) {
    svg.line(left, y_of(p.lower_bound), left + width, y_of(p.lower_bound), "#b00020", 1.5, "6 4");
    svg.text(left + width + 6, y_of(p.lower_bound) + 4, "lower bound", {.size = font, .colour = "#b00020"});
  }
  svg.line(left, top, left, top + height, "#555");
  svg.line(left, top + height, left + width, top + height, "#555");
  const double legend = draw_legend(svg, 16, 50, used);
  const double right = left + width + (p.lower_bound > 0 ? 12 + text_width("lower bound", font) : 16);
  return svg.document((std::max)({right, legend, 32 + text_width(head, 15)}), top + height + bottom);
}

TKL_ISA_END
}  // namespace tkl
