// SPDX-License-Identifier: Apache-2.0
#include "output_json.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

namespace read_page {
namespace {

using writer = rapidjson::Writer<rapidjson::StringBuffer>;

void text(writer& w, const char* key, const std::string& value) {
  w.Key(key);
  w.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

/// Rounded to the digits that the text output shows.
void number(writer& w, const char* key, double value, int digits) {
  const double scale = std::pow(10.0, digits);
  w.Key(key);
  w.Double(std::round(value * scale) / scale);
}

void write_line(writer& w, const line_result& l) {
  w.StartObject();
  text(w, "text", l.text);
  number(w, "confidence", l.confidence, 4);
  w.Key("box");
  w.StartArray();
  for (int corner : {l.box.x0, l.box.y0, l.box.x1, l.box.y1}) w.Int(corner);
  w.EndArray();
  number(w, "ms", l.milliseconds, 2);
  w.Key("turned"), w.Bool(l.turned);
  w.Key("reduced"), w.Bool(l.reduced);
  w.EndObject();
}

}  // namespace

std::string to_json(const std::vector<page_result>& pages, const char* level, const network_times& times) {
  rapidjson::StringBuffer buffer;
  writer w(buffer);
  w.StartObject();
  text(w, "level", level);
  w.Key("pictures");
  w.StartArray();
  for (const page_result& p : pages) {
    w.StartObject();
    text(w, "file", p.file);
    w.Key("width"), w.Int(p.size.width);
    w.Key("height"), w.Int(p.size.height);
    w.Key("reduced"), w.Bool(p.reduced);
    w.Key("lines");
    w.StartArray();
    for (const line_result& l : p.lines) write_line(w, l);
    w.EndArray();
    w.EndObject();
  }
  w.EndArray();
  w.Key("networks");
  w.StartArray();
  for (const network_share& s : shares(times)) {
    w.StartObject();
    text(w, "name", s.name);
    number(w, "ms", s.milliseconds, 2);
    number(w, "percent", s.percent, 1);
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace read_page
