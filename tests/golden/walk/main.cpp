// SPDX-License-Identifier: Apache-2.0
// Walks the inner tensors of the networks of read_page, compiled with those edges as further outputs, along ONNX
// Runtime's, and names the first step that differs.
//
//   golden_walk                    all golden files that have inner tensors
//   golden_walk rec_320_line ...   these, every edge
//
// Exit status 1 when something differs.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <set>
#include <string>

#include "golden/golden_folder.hpp"
#include "golden/walk.hpp"

namespace {

using namespace tkl::test;
using target = tkl::cpu<>;

template <class Model>
std::vector<walked_edge> walk_model(const std::string& weights, const golden_file& golden,
                                    std::span<const probe> probes) {
  using network = tkl::compile<Model, target>;
  const auto net = network::load(trained_weights(weights).c_str());
  if (!net) throw std::runtime_error(net.error().message());
  return walk(*net, golden, probes);
}

template <int Width>
std::vector<walked_edge> walk_recogniser(const golden_file& golden) {
  return walk_model<probed_recogniser<read_page::recogniser<Width>>>("rec", golden, recogniser_probes);
}
template <int Height, int Width>
std::vector<walked_edge> walk_detector(const golden_file& golden) {
  using model = read_page::detector<read_page::extent{Height, Width}>;
  return walk_model<probed_detector<model>>("det", golden, detector_probes);
}
std::vector<walked_edge> walk_classifier(const golden_file& golden) {
  return walk_model<probed_classifier<read_page::classifier>>("cls", golden, classifier_probes);
}

struct walker {
  std::string_view prefix;
  std::vector<walked_edge> (*run)(const golden_file&);
};
constexpr walker walkers[] = {{"rec_320_", walk_recogniser<320>},        {"rec_480_", walk_recogniser<480>},
                              {"rec_640_", walk_recogniser<640>},        {"rec_960_", walk_recogniser<960>},
                              {"det_192x384_", walk_detector<192, 384>}, {"det_384x768_", walk_detector<384, 768>},
                              {"det_640x640_", walk_detector<640, 640>}, {"cls_", walk_classifier}};

const walker* walker_of(const std::string& name) {
  for (const walker& w : walkers)
    if (name.starts_with(w.prefix)) return &w;
  return nullptr;
}

/// Whether the file agrees. Prints a line; with `every`, one per edge.
bool agrees(const std::string& name, bool every) {
  const walker* w = walker_of(name);
  if (w == nullptr) throw std::runtime_error(name + ": no network of that name and size has inner tensors");
  const std::vector<walked_edge> all = w->run(golden_file(golden_folder() + name + ".safetensors"));
  for (const walked_edge& e : all)
    if (every)
      std::printf("%s  step %3d %-24s edge %-16s error %.2e of %.0e\n", e.good() ? "   " : ">> ", e.step,
                  e.step_name.c_str(), e.edge.c_str(), e.error, e.limit);
  const walked_edge* bad = first_difference(all);
  if (bad == nullptr) {
    std::printf("%s: %zu edges agree\n", name.c_str(), all.size());
    return true;
  }
  const std::ptrdiff_t index = bad - all.data();
  std::printf("%s: the first that differs is step %d '%s', edge '%s': error %.2e, allowed %.0e; ", name.c_str(),
              bad->step, bad->step_name.c_str(), bad->edge.c_str(), bad->error, bad->limit);
  std::printf("the steps before it are right up to %d\n",
              index == 0 ? -1 : all[static_cast<std::size_t>(index - 1)].step);
  return false;
}

std::set<std::string> files_with_inner_tensors() {
  std::set<std::string> names;
  for (const std::string& path : golden_files("")) {
    const std::string name = std::filesystem::path(path).stem().string();
    if (walker_of(name) == nullptr) continue;
    const golden_file file(path);
    for (std::string_view first : {recogniser_probes[0].tensor, detector_probes[0].tensor, classifier_probes[0].tensor})
      if (file.has(std::string(first))) names.insert(name);
  }
  return names;
}

int walk_all(const std::set<std::string>& names, bool every) {
  bool good = !names.empty();
  for (const std::string& name : names) good = agrees(name, every) && good;
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::set<std::string> asked(argv + 1, argv + argc);
    return asked.empty() ? walk_all(files_with_inner_tensors(), false) : walk_all(asked, true);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "golden_walk: %s\n", error.what());
    return 1;
  }
}
