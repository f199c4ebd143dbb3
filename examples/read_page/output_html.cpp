// SPDX-License-Identifier: Apache-2.0
#include "output_html.hpp"

#include <cstdio>
#include <string_view>

#include "output_text.hpp"

namespace read_page {
namespace {

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What was read</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; overflow-wrap: anywhere; }
.picture { position: relative; width: 100%; } .picture img { display: block; width: 100%; }
.box { position: absolute; border: 2px solid #0b6bcb; background: #0b6bcb14; box-sizing: border-box; }
.box span { position: absolute; left: 0; bottom: 100%; font: 12px/1.3 system-ui, sans-serif; background: #0b6bcb; color: #fff;
  padding: 0 .35em; white-space: nowrap; opacity: 0; pointer-events: none; }
.box:hover { background: #0b6bcb40; z-index: 1; } .box:hover span, .all .box span { opacity: 1; }
table { border-collapse: collapse; width: 100%; margin-top: 1rem; } th, td { text-align: left; padding: .25rem .75rem .25rem 0; }
th { border-bottom: 2px solid #ccc; } td { border-bottom: 1px solid #e4e4e7; } td.number { font-variant-numeric: tabular-nums; }
.drawing { overflow: auto; max-height: 80vh; border: 1px solid #e4e4e7; background: #fff; }
.doubtful { color: #9a3412; }
</style>
</head>
<body>
<h1>What was read</h1>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) { return i + k < bytes.size() ? unsigned{bytes[i + k]} : 0U; };
    const unsigned group = at(0) << 16 | at(1) << 8 | at(2);
    for (unsigned k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63U];
  }
  return out;
}

std::string percent(int part, int whole) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3f%%", 100.0 * part / whole);
  return buffer;
}

std::string digits(double value, int places) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*f", places, value);
  return buffer;
}

void append_box(std::string& out, const line_result& l, extent size) {
  out += "<div class=\"box\" style=\"left:" + percent(l.box.x0, size.width) + ";top:" + percent(l.box.y0, size.height) +
         ";width:" + percent(l.box.x1 - l.box.x0, size.width) + ";height:" + percent(l.box.y1 - l.box.y0, size.height) +
         "\"><span>" + escaped(l.text) + "</span></div>\n";
}

void append_row(std::string& out, const line_result& l) {
  const box& b = l.box;
  out += "<tr><td>" + escaped(l.text) + "</td><td class=\"number" + (l.confidence < 0.7 ? " doubtful" : "") + "\">" +
         digits(l.confidence, 4) + "</td><td class=\"number\">" + std::to_string(b.x0) + " " + std::to_string(b.y0) +
         " " + std::to_string(b.x1) + " " + std::to_string(b.y1) + "</td><td class=\"number\">" +
         digits(l.milliseconds, 2) + "</td><td>" + (l.turned ? "upside down" : "") + "</td></tr>\n";
}

void append_picture(std::string& out, const html_page& page) {
  const page_result& r = *page.result;
  const bool png = !page.file->empty() && page.file->front() == 0x89;
  out += "<h2>" + escaped(r.file) + "</h2>\n<div class=\"picture\"><img alt=\"\" src=\"data:image/" +
         (png ? "png" : "jpeg") + ";base64," + base64(*page.file) + "\">\n";
  for (const line_result& l : r.lines) append_box(out, l, r.size);
  out += "</div>\n";
  if (const std::string remarks = notes(r); !remarks.empty()) out += "<p>" + escaped(remarks) + "</p>\n";
  out += "<table><thead><tr><th>Text</th><th>Confidence</th><th>Box</th><th>ms</th><th></th></tr></thead><tbody>\n";
  for (const line_result& l : r.lines) append_row(out, l);
  out += "</tbody></table>\n";
}

}  // namespace

std::string to_html(const std::vector<html_page>& pages, const char* level, const network_times& times,
                    const std::vector<drawing>& drawings) {
  std::string out(head);
  out += "<p>" + escaped(summary(level, times)) + "</p>\n";
  for (const html_page& page : pages) append_picture(out, page);
  for (const drawing& d : drawings)
    out += "<h2>" + escaped(d.title) + "</h2>\n<div class=\"drawing\">" + d.svg + "</div>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace read_page
