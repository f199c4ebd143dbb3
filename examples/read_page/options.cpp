// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>

namespace read_page {

bool parse(int argc, char** argv, options& out, int& exit_status) {
  CLI::App app{
      "Reads the text on photographed pages. Prints, for each line of text from top to bottom: the text, a tab, "
      "the confidence, a tab, the box x0 y0 x1 y1, a tab, milliseconds."};
  app.add_option("--weights", out.weights, "Folder of rec, cls and det.safetensors and rec_characters.txt")
      ->type_name("FOLDER")
      ->default_val(out.weights);
  app.add_option("--json", out.json, "File for the same as JSON")->type_name("FILE");
  app.add_option("--html", out.html, "File for a page that shows the pictures with boxes and text")
      ->type_name("FILE")
      ->default_val(out.html);
  app.add_flag("--lines", out.lines, "Take each picture as one line of text");
  app.add_option("picture", out.pictures, "PNG or JPEG files; none: page.png of the weights folder")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_status = app.exit(error);
    return false;
  }
  return true;
}

}  // namespace read_page
