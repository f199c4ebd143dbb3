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
#include <type_traits>
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

/// Runs the steps of a plan one by one, each as a plan of its own in the same memory; `watch` sees that before and
/// behind each of them.
template <class Watch>
device_run run_steps(const tkl::program& program, const tkl::device_plan& plan, const tkl::opencl_kernel* kernels,
                     tkl::opencl_precision precision, const std::byte* weights, const std::vector<const void*>& inputs,
                     Watch&& watch) {
  device_run r;
  const cl::CommandQueue& queue = device().queue();
  const auto buffer = [&](std::int64_t bytes, const void* from) {
    return *tkl::opencl_buffer(device(), CL_MEM_READ_WRITE, bytes, const_cast<void*>(from));
  };
  const cl::Buffer arena = buffer(plan.arena_bytes, nullptr), packed = buffer(plan.weights_bytes, weights);
  std::vector<cl::Buffer> in, out;
  for (int i = 0; i < plan.input_count; ++i)
    in.push_back(buffer(tkl::buffer_bytes_of(plan.input(i)), inputs[static_cast<std::size_t>(i)]));
  for (int i = 0; i < plan.output_count; ++i) out.push_back(buffer(tkl::buffer_bytes_of(plan.output(i)), nullptr));
  std::vector<std::byte> arena_seen(static_cast<std::size_t>(plan.arena_bytes));
  std::vector<std::vector<std::byte>> out_seen;
  for (int i = 0; i < plan.output_count; ++i)
    out_seen.emplace_back(static_cast<std::size_t>(tkl::buffer_bytes_of(plan.output(i))));
  const auto look = [&] {
    if (!arena_seen.empty()) queue.enqueueReadBuffer(arena, CL_TRUE, 0, arena_seen.size(), arena_seen.data());
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!out_seen[i].empty()) queue.enqueueReadBuffer(out[i], CL_TRUE, 0, out_seen[i].size(), out_seen[i].data());
  };
  const auto memory = [&](const tkl::edge& e) -> const std::byte* {
    return (e.where == tkl::space::arena ? arena_seen : out_seen[static_cast<std::size_t>(e.index)]).data() + e.offset;
  };
  for (int i = 0; i < plan.step_count && r.error.empty(); ++i) {
    tkl::device_plan one = plan;
    one.steps = plan.steps + i;
    one.step_count = 1;
    const tkl::opencl_needs needs = tkl::opencl_needs_of(plan, precision);
    const auto model = tkl::opencl_model::make(device(), one, kernels, needs, packed);
    r.error = model ? "" : model.error().message() + ("\n" + device().build_log());
    if (!model) return r;
    auto workspace = tkl::opencl_workspace::make(*model, arena);
    r.error = workspace.error().message();
    for (std::size_t k = 0; k < in.size() && r.error.empty(); ++k)
      r.error = workspace->use_input(static_cast<int>(k), in[k]).message();
    for (std::size_t k = 0; k < out.size() && r.error.empty(); ++k)
      r.error = workspace->use_output(static_cast<int>(k), out[k]).message();
    if (!r.error.empty()) return r;
    look();
    watch.before(program, i, memory);
    r.error = workspace->run(nullptr, nullptr).message();
    look();
    watch.after(i, memory);
  }
  for (int i = 0; i < plan.output_count; ++i)
    r.outputs.push_back(widened(out_seen[static_cast<std::size_t>(i)], plan.output(i).type));
  return r;
}

/// What a planned graph gives on the device, its kernels written at run time. `watch`, where it is given, sees each
/// step.
template <tkl::work_item_schedule S = tkl::arch::mali_tile, class Target, class Watch = unwatched>
device_run run_planned(const planned_graph<Target>& planned, const tkl::graph& g,
                       const std::vector<const void*>& inputs, Watch&& watch = {}) {
  device_run r = planned.run;
  if (!r.good()) return r;
  std::vector<std::unique_ptr<tkl::kernel_writer>> written;
  std::vector<tkl::opencl_kernel> kernels;
  for (const tkl::kernel_key& k : planned.program.keys) {
    written.push_back(written_kernel<S>(k, Target::precision));
    const tkl::kernel_writer& w = *written.back();
    if (w.overflown()) r.error = "a text is too long";
    kernels.push_back(tkl::kernel_of(k.algorithm, w));
  }
  const tkl::device_plan plan = planned.plan(S);
  if constexpr (!std::is_same_v<std::remove_cvref_t<Watch>, unwatched>) {
    if (!r.error.empty()) return r;
    return run_steps(planned.program, plan, kernels.data(), Target::precision, planned.weights.data(), inputs, watch);
  }
  const auto model = tkl::opencl_model::make(device(), plan, kernels.data(),
                                             tkl::opencl_needs_of(plan, Target::precision), planned.weights.data());
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

/// The same of a graph with random weights.
template <tkl::work_item_schedule S = tkl::arch::mali_tile, class Target = device_target, class Watch = unwatched>
device_run run_on_device(const tkl::graph& g, const std::vector<const void*>& inputs, Watch&& watch = {}) {
  return run_planned<S>(planned_graph<Target>(g), g, inputs, watch);
}

}  // namespace tkl_test

#include "support/device_compare.hpp"
