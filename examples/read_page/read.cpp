// SPDX-License-Identifier: Apache-2.0
#include "read.hpp"

#include <chrono>

#include "boxes.hpp"

namespace read_page {
namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

}  // namespace

tkl::result<page_result> page_reader::page(const picture& p, const std::string& file) {
  const framed f = frame_page(p.view());
  const clock::time_point start = clock::now();
  const tkl::result<const float*> probability = networks_.detect(f);
  times_.detector += milliseconds_since(start);
  if (!probability) return probability.error();

  page_result out{file, p.size, f.frame, f.reduced, {}};
  for (const text_box& found : find_text(*probability, f.frame, f.used, p.size)) {
    tkl::result<line_result> line = read(p.view().crop(found.box), found.box);
    if (!line) return line.error();
    out.lines.push_back(std::move(*line));
  }
  return out;
}

tkl::result<page_result> page_reader::line(const picture& p, const std::string& file) {
  tkl::result<line_result> line = read(p.view(), {0, 0, p.size.width, p.size.height});
  if (!line) return line.error();
  page_result out{file, p.size, {}, false, {}};
  out.lines.push_back(std::move(*line));
  return out;
}

tkl::result<line_result> page_reader::read(const picture_view& line, const box& where) {
  const clock::time_point start = clock::now();
  const tkl::result<float> turned_by_classifier = networks_.classify(frame_direction(line));
  times_.classifier += milliseconds_since(start);
  if (!turned_by_classifier) return turned_by_classifier.error();

  const picture upside_down = turned(line);
  line_result out;
  out.box = where;
  out.turned = *turned_by_classifier > turned_above;
  tkl::result<attempt> best = recognise(out.turned ? upside_down.view() : line);
  if (!best) return best.error();
  // The classifier sees a long line squeezed and errs on some; what the recogniser reads well decides.
  if ((*best).read.confidence < doubtful_below) {
    tkl::result<attempt> other = recognise(out.turned ? line : upside_down.view());
    if (!other) return other.error();
    if ((*other).read.confidence > (*best).read.confidence) {
      best = std::move(other);
      out.turned = !out.turned;
    }
  }
  out.text = std::move((*best).read.text);
  out.confidence = (*best).read.confidence;
  out.reduced = (*best).reduced;
  out.milliseconds = milliseconds_since(start);
  return out;
}

tkl::result<page_reader::attempt> page_reader::recognise(const picture_view& line) {
  const framed f = frame_line(line);
  const clock::time_point start = clock::now();
  const tkl::result<const float*> probability = networks_.recognise(f);
  times_.recogniser += milliseconds_since(start);
  if (!probability) return probability.error();
  return attempt{decode_greedily(*probability, f.frame.width / columns_per_step, letters_), f.reduced};
}

}  // namespace read_page
