// SPDX-License-Identifier: Apache-2.0
#include "output_text.hpp"

#include <cstdarg>
#include <cstdio>

namespace read_page {
namespace {

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  char buffer[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

}  // namespace

std::string to_text(const page_result& page) {
  std::string out;
  for (const line_result& l : page.lines) {
    out += l.text;
    out +=
        formatted("\t%.4f\t%d %d %d %d\t%.2f\n", l.confidence, l.box.x0, l.box.y0, l.box.x1, l.box.y1, l.milliseconds);
  }
  return out;
}

std::string notes(const page_result& page) {
  std::string out;
  if (page.reduced)
    out += page.file + formatted(": %dx%d pixels are larger than every frame; reduced to fit %dx%d\n", page.size.width,
                                 page.size.height, page.frame.width, page.frame.height);
  for (const line_result& l : page.lines)
    if (l.reduced)
      out += page.file + formatted(": the line at %d %d %d %d is longer than the widest frame; reduced to fit\n",
                                   l.box.x0, l.box.y0, l.box.x1, l.box.y1);
  if (page.lines.empty()) out += page.file + ": no text found\n";
  return out;
}

std::string summary(const char* level, const network_times& times) {
  std::string out = formatted("level %s, %.1f ms in the networks:", level, times.total());
  for (const network_share& s : shares(times)) out += formatted(" %s %.1f %%", s.name, s.percent);
  return out + "\n";
}

}  // namespace read_page
