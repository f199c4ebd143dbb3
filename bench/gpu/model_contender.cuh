// SPDX-License-Identifier: Apache-2.0
// A compiled model as a contender: loaded, run once from the host's memory, compared.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <tkl/cuda.cuh>
#include <utility>
#include <vector>

#include "contenders.cuh"
#include "samples.hpp"

namespace gpu_bench {

/// `x`: the bytes of the model's one input; `expected`: numbers of its one output.
template <class Model, class Target>
contender model_contender(const tkl::cuda_context& context, const char* how, const std::vector<std::byte>& weights_file,
                          const std::vector<std::byte>& x, const sampled& expected) {
  using net = tkl::compile<Model, Target>;
  struct loaded {
    net model;
    typename net::workspace memory;
  };
  const auto tensors = tkl::safetensors::from_memory(weights_file);
  if (!tensors) return contender::failed(how, tensors.error().message());
  auto model = net::load(context, *tensors);
  if (!model) return contender::failed(how, model.error().message());
  auto memory = net::workspace::make(*model);
  if (!memory) return contender::failed(how, memory.error().message());
  std::vector<std::byte> y(expected.bytes());
  const void* const in[] = {x.data()};
  void* const out[] = {y.data()};
  contender c{how};
  if (const tkl::status s = model->run(*memory, in, out); !s) c.error = s.message();
  if (c.error.empty()) c.error = expected.compare(y);
  const auto kept = std::make_shared<loaded>(loaded{std::move(*model), std::move(*memory)});
  c.enqueue = [kept] { return std::string(kept->model.enqueue(kept->memory).message()); };
  return c;
}

}  // namespace gpu_bench
