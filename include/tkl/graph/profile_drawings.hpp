// SPDX-License-Identifier: Apache-2.0
// A profile drawn: the roofline (Williams et al. 2009), and the steps over the time of a run. Both are self-contained
// SVG.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/graph/draw_graph.hpp>
#include <tkl/graph/draw_svg.hpp>
#include <tkl/graph/plan_text.hpp>
#include <tkl/graph/profile_data.hpp>
#include <tkl/graph/profile_text.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

inline constexpr double profile_width = 1120;

/// What shows when the pointer rests on a step.
inline std::string profile_details(const plan_profile& p, const step_profile& s) {
  std::string t = '#' + std::to_string(s.number) + ' ' + s.algorithm_text;
  if (!s.window.empty()) t += ' ' + s.window;
  if (!s.name.empty()) t += '\n' + s.name;
  t += '\n' + (s.input.empty() ? "" : s.input + " -> ") + s.output;
  t += '\n' + time_text(s.nanoseconds) + ", " + bytes_text(s.bytes()) + ", " + rate_text(s.bytes_per_second(), "B/s");
  if (s.cost.flops > 0)
    t += '\n' + count_text(s.cost.flops, "FLOP") + ", " + rate_text(s.flops_per_second(), "FLOP/s") + ", " +
         number_text(s.intensity(), 3) + " FLOP/B";
  if (p.limits.flops_per_second > 0) t += '\n' + percent_text(p.share_of_peak(s.flops_per_second())) + " % of peak";
  if (p.limits.bytes_per_second > 0)
    t += '\n' + percent_text(p.share_of_bandwidth(s.bytes_per_second())) + " % of bandwidth";
  return t;
}

/// The steps, those that took longest first.
inline std::vector<const step_profile*> by_time(const plan_profile& p) {
  std::vector<const step_profile*> all;
  for (const step_profile& s : p.steps) all.push_back(&s);
  std::stable_sort(all.begin(), all.end(), [](const step_profile* a, const step_profile* b) {
    return a->nanoseconds != b->nanoseconds ? a->nanoseconds > b->nanoseconds : a->number < b->number;
  });
  return all;
}

/// One logarithmic axis: numbers to coordinates.
struct log_axis {
  double low = 0, high = 1;  // decimal logarithms
  double from = 0, to = 1;   // coordinates

  log_axis(double least, double most, double at_least, double at_most)
      : low(std::log10(least) - 0.15), high(std::log10(most) + 0.15), from(at_least), to(at_most) {}
  double place(double v) const { return from + (std::log10(v) - low) / (high - low) * (to - from); }
  bool holds(double v) const { return std::log10(v) >= low && std::log10(v) <= high; }

  /// Calls f(value, bold, labelled) for 1, 2, 5 in each decade.
  template <class F>
  void ticks(F f) const {
    for (int decade = static_cast<int>(std::floor(low)); decade <= static_cast<int>(std::ceil(high)); ++decade)
      for (const int digit : {1, 2, 5}) {
        const double v = digit * std::pow(10.0, decade);
        if (holds(v)) f(v, digit == 1, digit == 1 || high - low < 2.5);
      }
  }
};

/// "0.01", "200", "5 k", "1 G".
inline std::string tick_text(double v) {
  constexpr std::string_view prefixes[] = {"", " k", " M", " G", " T", " P"};
  int prefix = 0;
  while (v >= 999.5 && prefix < 5) v /= 1000, ++prefix;
  return number_text(v, 3) + std::string(prefixes[prefix]);
}

/// The circles and labels of a roofline: labels where they cover nothing.
class roofline_points {
 public:
  roofline_points(double left, double top, double right, double bottom)
      : left_(left), top_(top), right_(right), bottom_(bottom) {}

  struct circle {
    double x, y, radius;
    const step_profile* step;
  };
  struct label {
    double x, y, width;  // of the text's left end and base line
    std::string text;
  };
  static constexpr double font = 10;

  /// A place that labels keep free.
  void keep_free(double x, double y, double width, double height) { taken_.push_back({x, y, width, height}); }
  /// The same for a line.
  void keep_line_free(double x0, double y0, double x1, double y1) {
    const double dx = x1 - x0, dy = y1 - y0;
    const int parts = 1 + static_cast<int>(std::sqrt(dx * dx + dy * dy) / 4);
    for (int i = 0; i <= parts; ++i) keep_free(x0 + dx * i / parts - 2, y0 + dy * i / parts - 2, 4, 4);
  }
  void add(const circle& c) {
    circles_.push_back(c);
    keep_free(c.x - c.radius, c.y - c.radius, 2 * c.radius, 2 * c.radius);
  }
  const std::vector<circle>& circles() const { return circles_; }

  /// Labels of the circles in the order in which they were added: the number and the algorithm, or the number alone, at
  /// the first of eight places around the circle that is free.
  std::vector<label> labels() {
    std::vector<label> all;
    for (const circle& c : circles_) {
      const std::string number = '#' + std::to_string(c.step->number);
      const std::string texts[] = {number + ' ' + c.step->algorithm_text, number};
      for (std::size_t i = all.size() < 10 ? 0 : 1; i < 2; ++i)
        if (place(c, texts[i], all)) break;
    }
    return all;
  }

 private:
  struct area {
    double x, y, width, height;
  };
  bool free(const area& a) const {
    if (a.x < left_ || a.y < top_ || a.x + a.width > right_ || a.y + a.height > bottom_) return false;
    return std::none_of(taken_.begin(), taken_.end(), [&](const area& b) {
      return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    });
  }
  bool place(const circle& c, const std::string& text, std::vector<label>& all) {
    const double w = text_width(text, font), h = font + 1, gap = c.radius + 3, slant = 0.72 * gap;
    const area places[] = {{c.x + gap, c.y - h / 2, w, h},           {c.x - gap - w, c.y - h / 2, w, h},
                           {c.x - w / 2, c.y - gap - h, w, h},       {c.x - w / 2, c.y + gap, w, h},
                           {c.x + slant, c.y - slant - h, w, h},     {c.x + slant, c.y + slant, w, h},
                           {c.x - slant - w, c.y - slant - h, w, h}, {c.x - slant - w, c.y + slant, w, h}};
    for (const area& a : places) {
      if (!free(a)) continue;
      taken_.push_back(a);
      all.push_back({a.x, a.y + font - 1, w, text});
      return true;
    }
    return false;
  }

  double left_, top_, right_, bottom_;
  std::vector<circle> circles_{};
  std::vector<area> taken_{};
};

}  // namespace impl

/// Each step with arithmetic as a circle, larger the longer it took: arithmetic per byte to the right, rate
/// upwards, below the limits of the machine where they are known. A label stands where it covers nothing; the pointer
/// shows the others.
inline std::string draw_roofline(const plan_profile& p) {
  using namespace impl;  // NOLINT(google-build-using-namespace): of this header alone
  constexpr double left = 78, top = 48, right = profile_width - 16, bottom = 500, height = 548;
  std::vector<const step_profile*> shown = by_time(p);
  std::erase_if(shown,
                [](const step_profile* s) { return s->cost.flops <= 0 || s->bytes() <= 0 || s->nanoseconds <= 0; });
  svg_writer svg;
  if (shown.empty()) {
    svg.text(16, 24, "no step of this plan has arithmetic that was timed");
    return svg.document(profile_width, 40);
  }
  const double peak = p.limits.flops_per_second, bandwidth = p.limits.bytes_per_second;
  const double ridge = peak > 0 && bandwidth > 0 ? peak / bandwidth : shown[0]->intensity();
  double least_x = ridge, most_x = ridge, least_y = shown[0]->flops_per_second(), most_y = (std::max)(peak, least_y);
  unsigned used = 0;
  for (const step_profile* s : shown) {
    least_x = (std::min)(least_x, s->intensity()), most_x = (std::max)(most_x, s->intensity());
    least_y = (std::min)(least_y, s->flops_per_second()), most_y = (std::max)(most_y, s->flops_per_second());
    used |= 1u << static_cast<int>(kind_of(s->algorithm));
  }
  const log_axis x(least_x, most_x, left, right), y(least_y, most_y, bottom, top);

  x.ticks([&](double v, bool bold, bool labelled) {
    svg.line(x.place(v), top, x.place(v), bottom, bold ? "#d4d4d4" : "#eee");
    if (labelled) svg.text(x.place(v), bottom + 16, tick_text(v), {.size = 10, .colour = "#444", .anchor = "middle"});
  });
  y.ticks([&](double v, bool bold, bool labelled) {
    svg.line(left, y.place(v), right, y.place(v), bold ? "#d4d4d4" : "#eee");
    if (labelled) svg.text(left - 8, y.place(v) + 3.5, tick_text(v), {.size = 10, .colour = "#444", .anchor = "end"});
  });
  svg.text((left + right) / 2, bottom + 36, "FLOP per byte that the step must move", {.anchor = "middle"});
  svg.text(20, (top + bottom) / 2, "FLOP/s", {.anchor = "middle", .rotate = -90});

  roofline_points points(left, top, right, bottom);
  if (peak > 0) {
    const double start = bandwidth > 0 ? x.place(ridge) : left;
    svg.line(start, y.place(peak), right, y.place(peak), "#b00020", 1.6);
    points.keep_line_free(start, y.place(peak), right, y.place(peak));
    const std::string text = "peak " + rate_text(peak, "FLOP/s");
    svg.text(right - 6, y.place(peak) - 6, text, {.size = 11, .colour = "#b00020", .anchor = "end", .halo = true});
    points.keep_free(right - 6 - text_width(text, 11), y.place(peak) - 18, text_width(text, 11) + 6, 20);
  }
  if (bandwidth > 0) {
    // From the left or lower edge of the plot to the ridge, or to its upper or right edge.
    const double begin = (std::max)(std::pow(10.0, x.low), std::pow(10.0, y.low) / bandwidth);
    const double end = peak > 0 ? ridge : (std::min)(std::pow(10.0, x.high), std::pow(10.0, y.high) / bandwidth);
    if (begin < end) {
      const double x0 = x.place(begin), y0 = y.place(begin * bandwidth), x1 = x.place(end),
                   y1 = y.place(end * bandwidth);
      svg.line(x0, y0, x1, y1, "#b00020", 1.6);
      points.keep_line_free(x0, y0, x1, y1);
      const std::string text = "bandwidth " + rate_text(bandwidth, "B/s");
      const double dx = x1 - x0, dy = y1 - y0, length = std::sqrt(dx * dx + dy * dy), w = text_width(text, 11);
      if (length > w + 30) {
        const double cx = (x0 + x1) / 2 + 7 * dy / length, cy = (y0 + y1) / 2 - 7 * dx / length;
        svg.text(cx, cy, text,
                 {.size = 11,
                  .colour = "#b00020",
                  .anchor = "middle",
                  .halo = true,
                  .rotate = std::atan2(dy, dx) * 57.29577951308232});
        for (int i = 0; i < 8; ++i) {  // along the slanted text
          const double along = (i / 7.0 - 0.5) * w;
          points.keep_free(cx + along * dx / length - 8, cy + along * dy / length - 12, 16, 18);
        }
      }
    }
  }
  for (const step_profile* s : shown)
    points.add({x.place(s->intensity()), y.place(s->flops_per_second()),
                2.5 + 13.5 * std::sqrt(s->nanoseconds / shown[0]->nanoseconds), s});
  for (const auto& c : points.circles())
    svg.circle(c.x, c.y, c.radius, fill_of(kind_of(c.step->algorithm)), "#555", profile_details(p, *c.step));
  for (const auto& l : points.labels()) svg.text(l.x, l.y, l.text, {.size = roofline_points::font});
  svg.line(left, top, left, bottom, "#555");
  svg.line(left, bottom, right, bottom, "#555");
  draw_legend(svg, left, 24, used);
  return svg.document(profile_width, height);
}

/// The steps over the time of a run, and below the time of each algorithm.
inline std::string draw_timeline(const plan_profile& p) {
  using namespace impl;  // NOLINT(google-build-using-namespace): of this header alone
  constexpr double left = 16, width = profile_width - 32, top = 36, bar = 44, font = 10;
  svg_writer svg;
  const double sum = p.step_nanoseconds();
  if (sum <= 0) {
    svg.text(16, 24, "no step of this plan was timed");
    return svg.document(profile_width, 40);
  }
  unsigned used = 0;
  double x = left;
  for (const step_profile& s : p.steps) {
    const double w = width * s.nanoseconds / sum;
    const draw_kind kind = kind_of(s.algorithm);
    used |= 1u << static_cast<int>(kind);
    svg.rect(x, top, w, bar, fill_of(kind), w < 3 ? "none" : "#777", profile_details(p, s), 0);
    const std::string number = std::to_string(s.number);
    if (text_width(number, font) + 4 <= w)
      svg.text(x + w / 2, top + bar / 2 + 3.5, number, {.size = font, .anchor = "middle"});
    x += w;
  }
  double tick = 1;  // nanoseconds: 1, 2 or 5 of a decade, five to twelve in the run
  for (int i = 0; sum / tick > 12; ++i) tick *= i % 3 == 1 ? 2.5 : 2;
  for (double t = 0; t <= sum; t += tick) {
    const double at_time = left + width * t / sum;
    const std::string text = t == 0 ? "0" : time_text(t);
    svg.line(at_time, top + bar, at_time, top + bar + 5, "#555");
    const bool near_end = at_time + text_width(text, font) / 2 > profile_width;
    svg.text(near_end ? profile_width - 2 : at_time, top + bar + 18, text,
             {.size = font, .colour = "#444", .anchor = near_end ? "end" : "middle"});
  }
  svg.line(left, top + bar, left + width, top + bar, "#555");
  draw_legend(svg, left, 20, used);

  struct group {
    std::string name;
    draw_kind kind;
    double nanoseconds = 0;
    int steps = 0;
  };
  std::vector<group> groups;
  for (const step_profile& s : p.steps) {
    auto g = std::find_if(groups.begin(), groups.end(), [&](const group& o) { return o.name == s.algorithm_text; });
    if (g == groups.end()) g = groups.insert(g, {s.algorithm_text, kind_of(s.algorithm)});
    g->nanoseconds += s.nanoseconds, ++g->steps;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const group& a, const group& b) { return a.nanoseconds > b.nanoseconds; });
  double names = 0;
  for (const group& g : groups) names = (std::max)(names, text_width(g.name, 11));
  const double start = left + names + 10, most = 620;
  double y = top + bar + 44;
  for (const group& g : groups) {
    const double w = most * g.nanoseconds / groups[0].nanoseconds;
    svg.text(start - 8, y + 12, g.name, {.anchor = "end"});
    svg.rect(start, y, (std::max)(w, 1.0), 16, fill_of(g.kind), "#777", {}, 0);
    svg.text(start + w + 8, y + 12,
             percent_text(g.nanoseconds / sum) + " %, " + time_text(g.nanoseconds) + ", " + std::to_string(g.steps) +
                 (g.steps == 1 ? " step" : " steps"),
             {.colour = "#444"});
    y += 21;
  }
  return svg.document(profile_width, y + 8);
}

TKL_ISA_END
}  // namespace tkl
