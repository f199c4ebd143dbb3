// SPDX-License-Identifier: Apache-2.0
// Runs a network compiled for OpenCL on the first device with the inputs of a golden file.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <tkl/opencl.hpp>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "network_input.hpp"
#include "support/skip.hpp"

namespace tkl::test {

/// The one context of a test program; a program without a device is skipped. Never released: some loaders take their
/// devices down before a program's static objects.
inline const opencl_context& golden_device() {
  static const opencl_context* context = [] {
    result<opencl_context> c = opencl_context::make();
    if (!c) skip(c.error().message());
    return new opencl_context(std::move(*c));
  }();
  return *context;
}

/// A network with its weights and the memory of one caller.
template <class Network>
class on_device {
 public:
  explicit on_device(const std::string& weights)
      : model_(Network::load(golden_device(), weights.c_str())), memory_(make_memory(model_)) {}

  /// The network's only output.
  std::vector<float> operator()(const golden_file& golden) const {
    static_assert(Network::outputs == 1);
    const device_plan plan = Network::plan();
    const network_input input(golden, plan.input(0));
    std::vector<const void*> in;
    for (int i = 0; i < plan.input_count; ++i) in.push_back(input.buffer(plan.input(i)));
    std::vector<float> out(static_cast<std::size_t>(buffer_bytes_of(plan.output(0))) / sizeof(float));
    void* const to[] = {out.data()};
    const status s = model_->run(*memory_, in.data(), to);
    REQUIRE_MESSAGE(s, s.message());
    return out;
  }

 private:
  static result<typename Network::workspace> make_memory(const result<Network>& model) {
    REQUIRE_MESSAGE(model, model.error().message());
    auto memory = Network::workspace::make(*model);
    REQUIRE_MESSAGE(memory, memory.error().message());
    return memory;
  }
  result<Network> model_;
  result<typename Network::workspace> memory_;
};

}  // namespace tkl::test
