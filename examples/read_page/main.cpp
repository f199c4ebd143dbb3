// SPDX-License-Identifier: Apache-2.0
// Reads the text on photographed pages with three trained networks that the compiler optimised. See options.cpp for the
// command line.
#include <cstdio>
#include <string>
#include <vector>

#include "drawings.hpp"
#include "files.hpp"
#include "options.hpp"
#include "output_html.hpp"
#include "output_json.hpp"
#include "output_text.hpp"
#include "read.hpp"

namespace {

using namespace read_page;

int fail(const tkl::status& s) {
  std::fprintf(stderr, "read_page: %s\n", s.message());
  return 1;
}

/// The characters, then the networks: a folder without them is noticed at once.
tkl::result<page_reader> load(const std::string& folder) {
  const std::string table = folder + "/rec_characters.txt";
  const auto bytes = read_file(table);
  if (!bytes) {
    std::fprintf(
        stderr,
        "read_page: the trained weights belong into %s: rec.safetensors, cls.safetensors, det.safetensors and "
        "rec_characters.txt. `python3 tools/prepare.py weights` brings them; --weights names another folder.\n",
        folder.c_str());
    return bytes.error();
  }
  auto letters = parse_alphabet(*bytes, recogniser_classes - 2, table.c_str());
  if (!letters) return letters.error();
  auto nets = networks::load(folder);
  if (!nets) return nets.error();
  return page_reader(std::move(*nets), std::move(*letters));
}

struct picture_read {
  std::vector<std::uint8_t> file{};
  page_result result{};
};

tkl::result<picture_read> read_one(page_reader& reader, const std::string& path, bool as_line) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  const auto decoded = decode_picture(*bytes, path.c_str());
  if (!decoded) return decoded.error();
  auto page = as_line ? reader.line(*decoded, path) : reader.page(*decoded, path);
  if (!page) return page.error();
  return picture_read{std::move(*bytes), std::move(*page)};
}

tkl::status write_json(const options& o, const std::vector<picture_read>& all, const network_times& times) {
  std::vector<page_result> pages;
  pages.reserve(all.size());
  for (const picture_read& p : all) pages.push_back(p.result);
  return write_file(o.json, to_json(pages, networks::level(), times));
}

tkl::status write_html(const options& o, const std::vector<picture_read>& all, const network_times& times) {
  std::vector<html_page> pages;
  pages.reserve(all.size());
  for (const picture_read& p : all) pages.push_back({&p.result, &p.file});
  return write_file(o.html, to_html(pages, networks::level(), times, drawings()));
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  o.weights = READ_PAGE_BUILD "/weights";
  o.html = READ_PAGE_BUILD "/read_page.html";
  int exit_status = 0;
  if (!parse(argc, argv, o, exit_status)) return exit_status;
  if (o.pictures.empty()) {
    if (o.lines) {
      std::fputs("read_page: --lines needs pictures of one line each\n", stderr);
      return 2;
    }
    o.pictures.push_back(o.weights + "/page.png");
  }

  auto reader = load(o.weights);
  if (!reader) return fail(reader.error());
  // A picture that cannot be read does not keep the others from being read, but it shows in the exit status.
  std::vector<picture_read> all;
  for (const std::string& path : o.pictures) {
    auto one = read_one(*reader, path, o.lines);
    if (!one) {
      exit_status = fail(one.error());
      continue;
    }
    std::fputs(to_text((*one).result).c_str(), stdout);
    std::fputs(notes((*one).result).c_str(), stderr);
    all.push_back(std::move(*one));
  }
  if (all.empty()) return exit_status;
  std::fputs(summary(networks::level(), (*reader).times()).c_str(), stderr);
  if (!o.json.empty())
    if (const tkl::status s = write_json(o, all, (*reader).times()); !s) return fail(s);
  if (!o.html.empty()) {
    if (const tkl::status s = write_html(o, all, (*reader).times()); !s) return fail(s);
    std::fprintf(stderr, "drawn: %s\n", o.html.c_str());
  }
  return exit_status;
}
