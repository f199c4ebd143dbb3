// SPDX-License-Identifier: Apache-2.0
// A profile as one HTML page: what it sums to, the roofline, the timeline, the table. Self-contained: no script, no
// outside font, style or picture.
#pragma once

#include <cstddef>
#include <string>
#include <tkl/config.hpp>
#include <tkl/graph/draw_svg.hpp>
#include <tkl/graph/profile_data.hpp>
#include <tkl/graph/profile_drawings.hpp>
#include <tkl/graph/profile_text.hpp>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

inline constexpr std::string_view profile_style =
    "body{margin:24px auto;max-width:1152px;padding:0 16px;background:#fff;color:#222;"
    "font:14px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:22px;margin:0 0 8px}h2{font-size:16px;margin:28px 0 4px}p{margin:2px 0}p.note{color:#555}\n"
    "svg{max-width:100%;height:auto;display:block}\n"
    "div.wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font:11px/1.45 \"DejaVu Sans Mono\",Menlo,Consolas,monospace;white-space:nowrap}\n"
    "th{position:sticky;top:0;background:#f2f2f2;text-align:left;padding:4px 8px;border-bottom:1px solid #bbb}\n"
    "td{padding:2px 8px;border-bottom:1px solid #eee}\n"
    "th.n,td.n{text-align:right}tbody tr:hover{background:#f6f9ff}\n"
    "i{display:inline-block;height:9px;margin-left:6px;background:#8fb8ea;vertical-align:-1px}\n";

/// The table; beside the share of the run a bar.
inline std::string profile_html_table(const plan_profile& p) {
  std::string t = "<table>\n<thead><tr>";
  for (const profile_column& c : profile_columns)
    t += std::string(c.right ? "<th class=\"n\">" : "<th>") + c.head + "</th>";
  t += "</tr></thead>\n<tbody>\n";
  double longest = 0;
  for (const step_profile& s : p.steps) longest = (std::max)(longest, s.nanoseconds);
  for (const step_profile& s : p.steps) {
    const std::vector<std::string> cells = profile_cells(p, s);
    t += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      t += std::string(profile_columns[i].right ? "<td class=\"n\">" : "<td>") + escaped(cells[i]);
      if (profile_columns[i].head == std::string_view("% of run"))
        t += "<i style=\"width:" + at(longest > 0 ? 60 * s.nanoseconds / longest : 0) +
             "px;margin-right:" + at(longest > 0 ? 60 - 60 * s.nanoseconds / longest : 60) + "px\"></i>";
      t += "</td>";
    }
    t += "</tr>\n";
  }
  return t + "</tbody>\n</table>\n";
}

}  // namespace impl

/// The page, to be written to a file. It is XML as well as HTML.
inline std::string profile_page(const plan_profile& p) {
  const std::string title = impl::escaped(p.title);
  std::string t =
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n<title>" +
      title + "</title>\n<style>\n" + std::string(impl::profile_style) + "</style>\n</head>\n<body>\n<h1>" + title +
      "</h1>\n";
  for (const std::string& fact : impl::profile_facts(p)) t += "<p>" + impl::escaped(fact) + "</p>\n";
  int without = 0;
  for (const step_profile& s : p.steps) without += s.cost.flops <= 0;
  t += "<h2>Roofline</h2>\n<p class=\"note\">A circle is a step, the larger the longer it took. Bytes are "
       "those of "
       "operands, weights and result, each once, wherever they lie: steps whose data are still in a near cache may "
       "pass the "
       "line of the bandwidth.";
  if (without > 0)
    t += ' ' + std::to_string(without) + (without == 1 ? " step" : " steps") + " without arithmetic " +
         (without == 1 ? "is" : "are") + " not shown.";
  t += "</p>\n<div class=\"wide\">" + draw_roofline(p) +
       "</div>\n<h2>Timeline</h2>\n<p class=\"note\">Steps in their order, "
       "then the time of each algorithm.</p>\n<div class=\"wide\">" +
       draw_timeline(p) +
       "</div>\n<h2>Steps</h2>\n"
       "<div class=\"wide\">" +
       impl::profile_html_table(p) + "</div>\n</body>\n</html>\n";
  return t;
}

TKL_ISA_END
}  // namespace tkl
