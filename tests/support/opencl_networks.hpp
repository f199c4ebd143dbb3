// SPDX-License-Identifier: Apache-2.0
// The kernels of the networks that this repository reads pages and pictures with, their texts written at run time.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <read_page/networks/classifier.hpp>
#include <read_page/networks/detector.hpp>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/half_storage.hpp>
#include <tkl/graph/passes/pipeline.hpp>
#include <vector>

#include "golden/networks/mobilenet_v2.hpp"
#include "golden/networks/resnet50.hpp"
#include "support/opencl_written.hpp"

namespace tkl_test {

struct network_texts {
  std::string name{};
  tkl::program plan{};
  std::vector<std::unique_ptr<tkl::kernel_writer>> written{};  // one per key of the plan
  tkl::opencl_kernel kernel(std::size_t i) const { return tkl::kernel_of(plan.keys[i].algorithm, *written[i]); }
};

template <class Model, class Target>
network_texts texts_of(const std::string& name) {
  network_texts t;
  t.name = name;
  tkl::graph g;
  tkl::build_model<Model>(g);
  t.plan = tkl::make_program(g, Target::facts(), [](const tkl::step&, const tkl::edge*) { return std::int64_t{0}; });
  REQUIRE(t.plan.error.empty());
  for (const tkl::kernel_key& k : t.plan.keys) {
    t.written.push_back(written_kernel<Target::items>(k, Target::precision));
    REQUIRE(!t.written.back()->overflown());
  }
  return t;
}

template <class Target>
std::vector<network_texts> texts_of_networks() {
  std::vector<network_texts> all;
  all.push_back(texts_of<read_page::recogniser<320>, Target>("recogniser"));
  all.push_back(texts_of<read_page::detector<read_page::extent{192, 384}>, Target>("detector"));
  all.push_back(texts_of<read_page::classifier, Target>("classifier"));
  all.push_back(texts_of<tkl::test::mobilenet_v2, Target>("MobileNetV2"));
  all.push_back(texts_of<tkl::test::resnet50, Target>("ResNet-50"));
  return all;
}

}  // namespace tkl_test
