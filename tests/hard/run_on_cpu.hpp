// SPDX-License-Identifier: Apache-2.0
// The part of hard_run.hpp that compiles a model for the CPU and runs it with several workers and poisoned buffers.
#pragma once

#include "hard_run.hpp"

namespace tkl_test {

/// An executor that cuts every loop into some parts and runs the last first.
struct splitting {
  int parts = 1;
  int workers() const { return parts; }
  template <class F>
  void parallel_for(std::int64_t n, F f) const {
    for (int part = parts; part-- > 0;) {
      const std::int64_t begin = tkl::part_begin(n, parts, part), end = tkl::part_begin(n, parts, part + 1);
      if (begin < end) f(begin, end, part);
    }
  }
};

/// Compiled for the CPU: one and several workers, each twice, arena, scratch and outputs full of NaN or of huge
/// numbers.
template <class Model>
void check_compiled(prepared& p, const numeric_case& c) {
  using net = tkl::compile<Model, tkl::cpu<tkl::arch::native, splitting>>;
  CHECK(net::arena_bytes <= arena_limit(net::lower_bound, net::buffers));
  const auto file = tkl::safetensors::from_memory(p.weights);
  REQUIRE(file.ok());
  const auto model = net::load(*file, {.allow_surplus = true});
  const std::string loading = model.ok() ? "" : model.error().message();
  REQUIRE(loading == "");
  const std::vector<std::vector<std::byte>> before = p.inputs;
  for (const int workers : {1, 2, 3, 7}) {
    CAPTURE(workers);
    const auto workspace = net::workspace::make(workers);
    REQUIRE(workspace.ok());
    for (const int poison : {0xff, 0x7f}) {
      if (workspace->arena_bytes() > 0)
        std::memset(static_cast<void*>(workspace->arena()), poison, static_cast<std::size_t>(workspace->arena_bytes()));
      if (workspace->scratch_bytes() > 0)
        std::memset(static_cast<void*>(workspace->scratch()), poison,
                    static_cast<std::size_t>(workspace->scratch_bytes()));
      p.poison_outputs(static_cast<unsigned char>(poison));
      const std::string message =
          model->run(*workspace, p.input_pointers.data(), p.output_pointers.data(), splitting{workers}).message();
      REQUIRE(message == "");
      check_outputs(c, p, "compiled");
      CHECK(p.inputs == before);
    }
  }
}

}  // namespace tkl_test
