// SPDX-License-Identifier: Apache-2.0
// The OpenCL device of the benchmarks: PoCL on one core, and what it is called in the rows.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <tkl/arch/opencl_cpu.hpp>
#include <tkl/opencl.hpp>
#include <vector>

namespace bench {

using device = tkl::opencl<tkl::arch::opencl_cpu>;

/// Before anything else of OpenCL: PoCL takes one thread.
inline void settle_opencl() {
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
}

/// "pthread-haswell-... with PoCL 3.1".
inline std::string name_of(const tkl::opencl_context& c) {
  std::string version;
  if (c.device().getInfo(CL_DEVICE_VERSION, &version) != CL_SUCCESS) version = "?";
  return c.device_name() + ", " + version.c_str();
}

/// A model with its caller's memory.
template <class Model>
struct loaded {
  using network = tkl::compile<Model, device>;
  std::optional<network> model{};
  std::optional<typename network::workspace> memory{};
  std::string error{};

  explicit loaded(const tkl::opencl_context& c, const tkl::safetensors& weights) {
    auto m = network::load(c, weights);
    error = m.error().message();
    if (!m) return;
    model.emplace(std::move(*m));
    auto w = network::workspace::make(*model);
    error = w.error().message();
    if (w) memory.emplace(std::move(*w));
  }
  /// All steps, on what lies on the device; returns when they are done.
  void operator()() const {
    if (const tkl::status s = model->enqueue(*memory); !s) std::abort();
    if (model->context().queue().finish() != CL_SUCCESS) std::abort();
  }
};

/// A weights file without tensors.
inline const std::vector<std::byte>& no_weights() {
  static const std::vector<std::byte> file = [] {
    std::vector<std::byte> f(16);
    f[0] = std::byte{8};
    const std::string header = "{}      ";
    for (std::size_t i = 0; i < header.size(); ++i) f[8 + i] = static_cast<std::byte>(header[i]);
    return f;
  }();
  return file;
}

}  // namespace bench
