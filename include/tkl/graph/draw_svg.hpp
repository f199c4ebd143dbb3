// SPDX-License-Identifier: Apache-2.0
// SVG in pieces: a self-contained picture without scripts or outside fonts. Text is set in a monospaced font, so that
// its width is known: boxes fit their text and labels do not meet.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <tkl/config.hpp>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

/// Width of a character at font size 1; DejaVu Sans Mono, Menlo and Consolas are no wider.
inline constexpr double character_width = 0.605;
inline constexpr std::string_view svg_font = "DejaVu Sans Mono, Menlo, Consolas, monospace";

/// Characters of a UTF-8 text.
inline double text_width(std::string_view s, double size) {
  int n = 0;
  for (char c : s) n += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  return n * size * character_width;
}

inline std::string escaped(std::string_view s) {
  std::string t;
  for (char c : s) {
    switch (c) {
      case '&':
        t += "&amp;";
        break;
      case '<':
        t += "&lt;";
        break;
      case '>':
        t += "&gt;";
        break;
      case '"':
        t += "&quot;";
        break;
      default:
        t += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? '?' : c;
    }
  }
  return t;
}

/// A coordinate with one decimal.
inline std::string at(double v) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", v);
  return buffer;
}

struct svg_text_style {
  double size = 11;
  std::string_view colour = "#222";
  std::string_view anchor = "start";  // middle, end
  bool bold = false;
  bool halo = false;  // white behind the letters, over lines
  double rotate = 0;  // degrees around the place
};

/// Collects elements; `document` wraps them.
class svg_writer {
 public:
  void rect(double x, double y, double w, double h, std::string_view fill, std::string_view stroke = "#555",
            std::string_view title = {}, double radius = 3) {
    body_ += "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(w) + "\" height=\"" + at(h) + "\" rx=\"" +
             at(radius) + "\" fill=\"" + std::string(fill) + "\" stroke=\"" + std::string(stroke) + '"';
    body_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n";
  }
  void text(double x, double y, std::string_view s, const svg_text_style& style = {}) {
    body_ += "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" font-size=\"" + at(style.size) + "\" fill=\"" +
             std::string(style.colour) + '"';
    if (style.anchor != "start") body_ += " text-anchor=\"" + std::string(style.anchor) + '"';
    if (style.bold) body_ += " font-weight=\"bold\"";
    if (style.halo) body_ += " stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
    if (style.rotate != 0) body_ += " transform=\"rotate(" + at(style.rotate) + ' ' + at(x) + ' ' + at(y) + ")\"";
    body_ += '>' + escaped(s) + "</text>\n";
  }
  void line(double x0, double y0, double x1, double y1, std::string_view stroke, double width = 1,
            std::string_view dash = {}) {
    body_ += "<path d=\"M" + at(x0) + ' ' + at(y0) + 'L' + at(x1) + ' ' + at(y1) + '"' + pen(stroke, width, dash);
  }
  /// A path of SVG commands, not filled.
  void path(std::string_view commands, std::string_view stroke, double width = 1.2, std::string_view dash = {},
            bool arrow = false) {
    arrows_ = arrows_ || arrow;
    body_ += "<path d=\"" + std::string(commands) + '"' + (arrow ? " marker-end=\"url(#arrow)\"" : "") +
             pen(stroke, width, dash);
  }
  void circle(double x, double y, double r, std::string_view fill, std::string_view stroke,
              std::string_view title = {}) {
    body_ += "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"" + at(r) + "\" fill=\"" + std::string(fill) +
             "\" stroke=\"" + std::string(stroke) + '"';
    body_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></circle>\n";
  }

  std::string document(double width, double height) const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + at(width) + "\" height=\"" + at(height) +
           "\" viewBox=\"0 0 " + at(width) + ' ' + at(height) + "\" font-family=\"" + std::string(svg_font) + "\">\n" +
           (arrows_ ? std::string(arrow_head) : "") + "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + body_ +
           "</svg>\n";
  }

 private:
  static constexpr std::string_view arrow_head =
      "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
      "orient=\"auto\"><path d=\"M0 0.8L7.5 4L0 7.2z\" fill=\"#555\"/></marker></defs>\n";
  static std::string pen(std::string_view stroke, double width, std::string_view dash) {
    return " fill=\"none\" stroke=\"" + std::string(stroke) + "\" stroke-width=\"" + at(width) + '"' +
           (dash.empty() ? "" : " stroke-dasharray=\"" + std::string(dash) + '"') + "/>\n";
  }
  std::string body_{};
  bool arrows_ = false;
};

/// A kind of node or buffer: its colour and its name in the legend.
struct svg_kind {
  std::string_view name;
  std::string_view fill;
};
enum class draw_kind : int { port, contraction, window, rows, elementwise, movement, scratch };
inline constexpr svg_kind draw_kinds[] = {
    {"input, output", "#d9ead3"}, {"contraction", "#cfe2f9"}, {"window", "#d0eeee"},  {"rows, attention", "#e3d5f2"},
    {"element-wise", "#fde7cb"},  {"moves data", "#e8e8e8"},  {"scratch", "#f3c9c9"},
};
inline std::string_view fill_of(draw_kind k) {
  return draw_kinds[static_cast<int>(k)].fill;
}

/// A row of colour samples for the kinds in `used` (bit i: kind i). Returns where it ends.
inline double draw_legend(svg_writer& svg, double x, double y, unsigned used) {
  for (int i = 0; i < static_cast<int>(sizeof draw_kinds / sizeof *draw_kinds); ++i) {
    if (!(used >> i & 1u)) continue;
    svg.rect(x, y - 9, 12, 12, draw_kinds[i].fill);
    svg.text(x + 17, y + 1, draw_kinds[i].name);
    x += 17 + text_width(draw_kinds[i].name, 11) + 18;
  }
  return x;
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
