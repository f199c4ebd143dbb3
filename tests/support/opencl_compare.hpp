// SPDX-License-Identifier: Apache-2.0
// The first OpenCL device for device_compare.hpp: models compiled for it, and graphs whose kernels are written at run
// time.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <tkl/opencl.hpp>
#include <utility>
#include <vector>

#include "support/device_run.hpp"
#include "support/opencl_written.hpp"
#include "support/skip.hpp"

namespace tkl_test {

using device_target = tkl::opencl<>;

/// The one context of a test program; a program without a device is skipped. Never released: some loaders take their
/// devices down before a program's static objects.
inline const tkl::opencl_context& device() {
  static const tkl::opencl_context* context = [] {
    tkl::result<tkl::opencl_context> c = tkl::opencl_context::make();
    if (!c) tkl::test::skip(c.error().message());
    return new tkl::opencl_context(std::move(*c));
  }();
  return *context;
}

/// What a graph gives on the device, its kernels written at run time.
template <tkl::work_item_schedule S = tkl::arch::mali_tile, class Target = device_target>
device_run run_on_device(const tkl::graph& g, const std::vector<const void*>& inputs) {
  const planned_graph<Target> planned(g);
  device_run r = planned.run;
  if (!r.good()) return r;
  std::vector<std::unique_ptr<tkl::kernel_writer>> written;
  std::vector<tkl::opencl_kernel> kernels;
  for (const tkl::kernel_key& k : planned.program.keys) {
    written.push_back(written_kernel<S>(k));
    const tkl::kernel_writer& w = *written.back();
    if (w.overflown()) r.error = "a text is too long";
    kernels.push_back({tkl::name_of(k.algorithm), w.source.view(), w.argument, w.arguments});
  }
  const tkl::device_plan plan = planned.plan(S);
  const auto model = tkl::opencl_model::make(device(), plan, kernels.data(), planned.weights.data());
  if (!model) {
    r.error = model.error().message() + ("\n" + device().build_log());
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
    const std::int64_t bytes = tkl::buffer_bytes_of(plan.input(i));
    const auto b =
        tkl::opencl_buffer(device(), CL_MEM_READ_WRITE, bytes, const_cast<void*>(inputs[static_cast<std::size_t>(i)]));
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

}  // namespace tkl_test

#include "support/device_compare.hpp"
