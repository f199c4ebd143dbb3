// SPDX-License-Identifier: Apache-2.0
// Compiles models for OpenCL, runs them on the first device, and compares with the unoptimised graph in double
// precision.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <tkl/opencl.hpp>
#include <utility>
#include <vector>

#include "support/opencl_written.hpp"
#include "support/random_run.hpp"
#include "support/skip.hpp"

namespace tkl_test {

/// The one context of a test program; a program without a device is skipped. Never released: some loaders take their
/// devices down before a program's static objects.
inline const tkl::opencl_context& opencl_device() {
  static const tkl::opencl_context* context = [] {
    tkl::result<tkl::opencl_context> c = tkl::opencl_context::make();
    if (!c) tkl::test::skip(c.error().message());
    return new tkl::opencl_context(std::move(*c));
  }();
  return *context;
}

/// Compares Model on the device with its unoptimised graph. `slack`: how much more than the CPU's tolerance.
template <class Model, class Target = tkl::opencl<>>
void check_opencl(double slack = 2) {
  using net = tkl::compile<Model, Target>;
  tkl::graph g;
  tkl::build_model<Model>(g);
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  REQUIRE(expected.size() == g.outputs.size());
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto model = net::load(opencl_device(), *tensors, {.allow_surplus = true});
  const std::string loaded = model.error().message();
  REQUIRE(loaded == "");
  const auto workspace = net::workspace::make(*model);
  const std::string made = workspace.error().message();
  REQUIRE(made == "");
  std::vector<std::vector<std::byte>> outputs = output_buffers(g);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  for (int run = 0; run < 2; ++run) {  // twice: the inputs must survive, the arena must not matter
    const std::string message = model->run(*workspace, inputs.pointers.data(), pointers.data()).message();
    REQUIRE(message == "");
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      CAPTURE(o);
      const tkl::element type = g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type;
      const std::string difference = compare(expected[o], widened(outputs[o], type), slack * tolerance_of(g));
      CHECK(difference == "");
    }
  }
}

/// What a graph gives on the device, its kernels written at run time; `half`: with half storage.
struct device_run {
  std::string refused{};  // why the target has no kernels, else empty
  std::string error{};
  std::vector<std::vector<double>> outputs{};
};
template <tkl::work_item_schedule S = tkl::arch::mali_tile>
device_run run_on_device(const tkl::graph& g, const std::vector<const void*>& inputs, bool half = false) {
  using target = tkl::opencl<>;
  const tkl::target_facts facts = half ? tkl::half_storage<target>::facts() : target::facts();
  device_run r;
  const tkl::program p =
      tkl::make_program(g, facts, [](const tkl::step&, const tkl::edge*) { return std::int64_t{0}; });
  r.error = p.error.c_str();
  if (!r.error.empty()) return r;
  for (const tkl::step& s : p.steps) {
    r.refused = tkl::opencl_unsupported(s, p.keys[static_cast<std::size_t>(s.kernel)], p.edges.data());
    if (!r.refused.empty()) return r;
  }
  std::vector<std::unique_ptr<tkl::kernel_writer>> written;
  std::vector<tkl::opencl_kernel> kernels;
  for (const tkl::kernel_key& k : p.keys) {
    written.push_back(written_kernel<S>(k));
    const tkl::kernel_writer& w = *written.back();
    if (w.overflown()) r.error = "a text is too long";
    kernels.push_back({tkl::name_of(k.algorithm), w.source.view(), w.argument, w.arguments});
  }
  const std::vector<std::byte> file = random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  const tkl::load_view load{p.loads.data(),
                            static_cast<int>(p.loads.size()),
                            p.folds.data(),
                            p.packed.data(),
                            static_cast<int>(p.packed.size()),
                            p.names.data(),
                            p.weights_bytes,
                            target::facts().panel,
                            target::facts().width,
                            0,
                            tkl::real_functions<>};
  const auto weights = tkl::pack_weights(load, *tensors, {.allow_surplus = true});
  const tkl::opencl_plan plan{p.steps.data(),
                              static_cast<int>(p.steps.size()),
                              p.edges.data(),
                              p.keys.data(),
                              static_cast<int>(p.keys.size()),
                              p.inputs.data(),
                              static_cast<int>(p.inputs.size()),
                              p.outputs.data(),
                              static_cast<int>(p.outputs.size()),
                              p.arena_bytes,
                              p.weights_bytes,
                              p.names.data(),
                              S};
  const auto model = tkl::opencl_model::make(opencl_device(), plan, kernels.data(), weights->data());
  if (!model) {
    r.error = model.error().message() + ("\n" + opencl_device().build_log());
    return r;
  }
  auto workspace = tkl::opencl_workspace::make(*model);
  if (!workspace) {
    r.error = workspace.error().message();
    return r;
  }
  // A simulator that watches for values nobody has written does not see writes to mapped memory, and takes memory that
  // is used again for memory that was never written: there, inputs are copied and no buffer is released.
  const bool copied = std::getenv("TKL_OPENCL_SIMULATED") != nullptr;
  for (int i = 0; copied && i < plan.input_count; ++i) {
    const std::int64_t bytes = tkl::opencl_buffer_bytes(plan.input(i));
    const auto b = tkl::opencl_buffer(opencl_device(), CL_MEM_READ_WRITE, bytes,
                                      const_cast<void*>(inputs[static_cast<std::size_t>(i)]));
    r.error = b ? workspace->use_input(i, *b).message() : b.error().message();
    if (!r.error.empty()) return r;
  }
  static auto* kept = new std::vector<std::pair<tkl::opencl_workspace, cl::Buffer>>();
  if (copied) kept->emplace_back(*workspace, model->weights());
  std::vector<std::vector<std::byte>> outputs = output_buffers(g);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  for (int run = 0; run < 2 && r.error.empty(); ++run)  // twice: the inputs must survive, the arena must not matter
    r.error =
        (copied ? workspace->run(nullptr, pointers.data()) : workspace->run(inputs.data(), pointers.data())).message();
  for (std::size_t o = 0; o < outputs.size(); ++o)
    r.outputs.push_back(widened(outputs[o], g.nodes[static_cast<std::size_t>(g.outputs[o].node)].type));
  return r;
}

/// Compares a graph made at run time with its unoptimised self. Empty, or why the target has no kernels for it.
template <tkl::work_item_schedule S = tkl::arch::mali_tile>
std::string check_opencl_graph(const tkl::graph& g, double slack = 2, bool half = false) {
  const std::string mistake = g.error.c_str();
  REQUIRE(mistake == "");
  const graph_inputs inputs(g);
  const std::vector<std::vector<double>> expected = run_unoptimised(g, inputs);
  REQUIRE(expected.size() == g.outputs.size());
  const device_run run = run_on_device<S>(g, inputs.pointers, half);
  REQUIRE(run.error == "");
  if (!run.refused.empty()) return run.refused;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    CAPTURE(o);
    const std::string difference = compare(expected[o], run.outputs[o], slack * tolerance_of(g));
    CHECK(difference == "");
  }
  return {};
}

}  // namespace tkl_test
