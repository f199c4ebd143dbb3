// SPDX-License-Identifier: Apache-2.0
// The graphs run by the interpreter, unoptimised and in double, against ONNX Runtime: is a network written down right?
// tkl-test: libs=read_page,rapidjson optimise=-O2 timeout=900
#include <doctest/doctest.h>

#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <span>
#include <string>
#include <tkl/graph/check.hpp>
#include <tkl/graph/interpreter.hpp>

#include "compare.hpp"
#include "golden_file.hpp"
#include "golden_folder.hpp"
#include "networks/mobilenet_v2.hpp"
#include "networks/resnet50.hpp"
#include "probes.hpp"

using namespace tkl;
using namespace tkl::test;

namespace {

/// Runs `Model` on one golden file and checks the probes in order, then the output.
template <class Model, std::size_t Count>
void check(const std::string& golden_name, const std::string& weights_path, const std::array<probe, Count>& probes,
           double output_limit, bool relative) {
  CAPTURE(golden_name);
  const golden_file golden(golden_folder() + golden_name + ".safetensors");
  const golden_file weights(weights_path);
  graph g;
  build_model<Model>(g);
  REQUIRE_MESSAGE(g.error.empty(), g.error.c_str());
  interpreter run(g, keep_edges::probed);
  for (const probe& p : probes) REQUIRE(run.probe(p.edge));
  REQUIRE(run.set_weights([&](std::string_view name, const shape&) {
    const golden_tensor& t = weights[std::string(name)];
    return std::span<const float>(t.as<float>(), t.elements());
  }));
  for (std::int32_t id : g.inputs) {
    const node& n = g.nodes[static_cast<std::size_t>(id)];
    const golden_tensor& t = golden[std::string(g.name_at(n.name))];
    status set = n.type == element::u8 ? run.set_input(g.name_at(n.name), std::span(t.as<std::uint8_t>(), t.elements()))
                 : n.type == element::i32
                     ? run.set_input(g.name_at(n.name), std::span(t.as<std::int32_t>(), t.elements()))
                     : run.set_input(g.name_at(n.name), std::span(t.as<float>(), t.elements()));
    REQUIRE_MESSAGE(set, set.message());
  }
  const status done = run.run();
  REQUIRE_MESSAGE(done, done.message());
  for (const probe& p : probes) {
    const std::span<const double> ours = run.edge(p.edge);
    const difference d = compare(ours.data(), ours.size(), golden[std::string(p.tensor)]);
    CAPTURE(p.edge);
    REQUIRE(d.relative() <= inner_tolerance);  // the first that differs ends the walk
  }
  const std::span<const double> out = run.output(0);
  const difference d = compare(out.data(), out.size(), golden["output"]);
  CHECK((relative ? d.relative() : d.largest) <= output_limit);
}

std::string made(const char* name) {
  return golden_folder() + name + ".safetensors";
}

template <int Width>
void check_recogniser() {
  const std::string name = "rec_" + std::to_string(Width) + "_tinted";
  check<read_page::recogniser<Width>>(name, trained_weights("rec"), recogniser_probes, probability_tolerance, false);
}

template <int Height, int Width, std::size_t Count>
void check_detector(const char* picture, const std::array<probe, Count>& probes) {
  const std::string name = "det_" + std::to_string(Height) + "x" + std::to_string(Width) + "_" + picture;
  check<read_page::detector<read_page::extent{Height, Width}>>(name, trained_weights("det"), probes,
                                                               probability_tolerance, false);
}

}  // namespace

TEST_CASE("recogniser") {
  check_recogniser<320>();
  check_recogniser<480>();
  check_recogniser<640>();
  check_recogniser<960>();
}

TEST_CASE("classifier") {
  for (const char* name : {"cls_line0", "cls_line1_upside_down", "cls_line2"})
    check<read_page::classifier>(name, trained_weights("cls"), classifier_probes, probability_tolerance, false);
}

TEST_CASE("detector") {
  check_detector<192, 384>("tinted", detector_probes);
  check_detector<384, 768>("page", detector_probes);
  check_detector<640, 640>("reduced", detector_probes);
  // The golden files of the two large sizes have no inner tensors.
  check_detector<736, 1280>("enlarged", no_probes);
  check_detector<1280, 736>("stack", no_probes);
}

TEST_CASE("MobileNetV2") {
  for (const char* name : {"mobilenet_v2_a", "mobilenet_v2_b"})
    check<mobilenet_v2>(name, made("mobilenet_v2"), no_probes, logit_tolerance, true);
}

TEST_CASE("ResNet-50") {
  for (const char* name : {"resnet50_a", "resnet50_b"})
    check<resnet50>(name, made("resnet50"), no_probes, logit_tolerance, true);
}
