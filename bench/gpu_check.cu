// SPDX-License-Identifier: Apache-2.0
// For a machine with a GPU: every kind of kernel against the reference in double precision, then its time; products and
// convolutions beside cuBLASLt and cuDNN where those were linked. Built and run by gpu_check.sh; prints tables in
// Markdown. Its status is not zero when a result is wrong, ours or a rival's.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <tkl/cuda.cuh>
#include <utility>
#include <vector>

#include "cuda/every_kernel.hpp"
#include "gpu/parts.hpp"
#include "support/graph_run.hpp"

namespace gpu_bench {
namespace {

using tkl::cuda_product;

constexpr int places = 1024, depth = 1024, columns = 1024;
struct product {
  static constexpr const char* name = "product 1024 x 1024 x 1024";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {places, depth});
    g.output(tkl::linear(x, g.weight("w", {columns, depth})));
  }
};
struct one_row {
  static constexpr const char* name = "product 16 x 4096 x 4096";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {16, 4096});
    g.output(tkl::linear(x, g.weight("w", {4096, 4096})));
  }
};
struct conv3 {
  static constexpr const char* name = "conv 3x3, 56x56x64 to 64, bias, relu";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 56, 56, 64});
    g.output(tkl::relu(tkl::conv2d(x, g.weight("w", {64, 64, 3, 3}), g.weight("b", {64}), {.pad = 1})));
  }
};
struct conv1 {
  static constexpr const char* name = "conv 1x1, 56x56x64 to 256, silu";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 56, 56, 64});
    g.output(tkl::silu(tkl::conv2d(x, g.weight("w", {256, 64, 1, 1}))));
  }
};
template <tkl::element Type>
struct short_inputs {
  static constexpr const char* name = Type == tkl::f16 ? "conv 3x3, 56x56x64 to 64, and 1x1 to 70, in f16"
                                                       : "conv 3x3, 56x56x64 to 64, and 1x1 to 70, in bf16";
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::cast(g.input("x", tkl::f32, {1, 56, 56, 64}), Type);
    g.output(tkl::cast(tkl::conv2d(x, g.weight("w", {64, 64, 3, 3}, Type), {.pad = 1}), tkl::f32));
    g.output(tkl::cast(tkl::conv2d(x, g.weight("v", {70, 64, 1, 1}, Type)), tkl::f32));
  }
};
struct computed {
  static constexpr const char* name = "product of computed 12 x 256 x 256 x 64";
  static constexpr void build(tkl::graph& g) {
    const auto a = g.input("a", tkl::f32, {12, 256, 64}), b = g.input("b", tkl::f32, {12, 256, 64});
    g.output(tkl::matmul(tkl::relu(a), tkl::relu(b), {.transpose_b = true}));
  }
};
struct depthwise {
  static constexpr const char* name = "depthwise 3x3, 112x112x64";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 112, 112, 64});
    g.output(tkl::conv2d(x, g.weight("w", {64, 1, 3, 3}), {.pad = 1, .groups = 64}));
  }
};
struct softmax_and_norm {
  static constexpr const char* name = "softmax and layer norm, 4096 x 768";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4096, 768});
    g.output(tkl::softmax(x));
    g.output(tkl::layer_norm(x, {.eps = 1e-5}));
  }
};
struct attention {
  static constexpr const char* name = "attention, 197 rows, 12 heads of 64";
  static constexpr void build(tkl::graph& g) {
    const auto q = g.input("q", tkl::f32, {1, 197, 768}), k = g.input("k", tkl::f32, {1, 197, 768}),
               v = g.input("v", tkl::f32, {1, 197, 768});
    g.output(tkl::attention(q, k, v, {.heads = 12}));
  }
};
struct others {
  static constexpr const char* name = "pool, resize, reduce, map, 56x56x64";
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 56, 56, 64});
    g.output(tkl::max_pool2d(x, {.kernel = 3, .stride = 2, .pad = 1}));
    g.output(tkl::resize(x, {.extent = {112, 112}, .kind = tkl::resize_kind::bilinear}));
    g.output(tkl::reduce_mean(x, {1, 2}));
    g.output(tkl::gelu(x) * 0.5 + x);
  }
};

/// What the others lack: transposed convolutions, pads, average pools, maxima's places, masked attention, logarithms of
/// softmax, layer norm with factors, pictures of bytes; every type of output. Small, so its time says nothing.
struct all : tkl_test::every_kernel {
  static constexpr const char* name = "every kernel of work items, small";
};

/// A model's inputs, weights and outputs; the reference takes most of the time, and serves every way to multiply.
struct reference {
  tkl::graph graph;
  tkl_test::graph_inputs inputs;
  std::vector<std::byte> weights;
  std::vector<std::vector<double>> outputs;

  explicit reference(tkl::graph&& g)
      : graph(std::move(g)),
        inputs(graph),
        weights(tkl_test::random_weights_file(graph)),
        outputs(tkl_test::run_unoptimised(graph, inputs)) {}
  template <class Model>
  static reference of() {
    tkl::graph g;
    tkl::build_model<Model>(g);
    return reference(std::move(g));
  }
};

/// What an output's type adds to the difference that is allowed; integers must be equal.
double allowed_in(tkl::element type, double allowed) {
  return type == tkl::f32 ? allowed : type == tkl::f16 ? allowed + 1e-3 : type == tkl::bf16 ? allowed + 8e-3 : 0;
}

/// `allowed`: difference relative to the largest number of an output in f32.
template <class Model, cuda_product P>
contender compared(const tkl::cuda_context& context, const char* how, const reference& r, double allowed) {
  using net = tkl::compile<Model, tkl::cuda<arch, P>>;
  struct loaded {
    net model;
    typename net::workspace memory;
  };
  const auto tensors = tkl::safetensors::from_memory(r.weights);
  if (!tensors) return contender::failed(how, tensors.error().message());
  auto model = net::load(context, *tensors, {.allow_surplus = true});
  if (!model) return contender::failed(how, model.error().message());
  auto memory = net::workspace::make(*model);
  if (!memory) return contender::failed(how, memory.error().message());
  std::vector<std::vector<std::byte>> outputs = tkl_test::output_buffers(r.graph);
  std::vector<void*> pointers;
  for (auto& o : outputs) pointers.push_back(o.data());
  contender c{how};
  if (const tkl::status s = model->run(*memory, r.inputs.pointers.data(), pointers.data()); !s) c.error = s.message();
  if (c.error.empty() && r.outputs.size() != outputs.size()) c.error = "the reference did not run";
  for (std::size_t o = 0; c.error.empty() && o < outputs.size(); ++o) {
    const tkl::element type = r.graph.nodes[static_cast<std::size_t>(r.graph.outputs[o].node)].type;
    c.error = tkl_test::compare(r.outputs[o], tkl_test::widened(outputs[o], type), allowed_in(type, allowed));
    if (!c.error.empty()) c.error = "output " + std::to_string(o) + ", " + c.error;
  }
  const auto kept = std::make_shared<loaded>(loaded{std::move(*model), std::move(*memory)});
  c.enqueue = [kept] { return std::string(kept->model.enqueue(kept->memory).message()); };
  return c;
}

template <class Model>
void show(const tkl::cuda_context& context, table& rows, std::vector<contender>&& contenders) {
  using net = tkl::compile<Model, tkl::cuda<arch>>;
  time_in_turns(context, contenders);
  rows.rows(Model::name, contenders, static_cast<double>(net::flops), -1);
}
template <class Model, cuda_product P>
void measure(const tkl::cuda_context& context, table& rows, const char* how, double allowed) {
  if (!rows.begin(Model::name)) return;
  const reference r = reference::of<Model>();
  show<Model>(context, rows, {compared<Model, P>(context, how, r, allowed)});
}
template <class Model>
void measure_ways(const tkl::cuda_context& context, table& rows) {
  if (!rows.begin(Model::name)) return;
  const reference r = reference::of<Model>();
  show<Model>(context, rows,
              {compared<Model, cuda_product::f32>(context, "f32", r, 1e-4),
               compared<Model, cuda_product::split>(context, "split tf32", r, 1e-4),
               compared<Model, cuda_product::rounded>(context, "tf32", r, 4e-3)});
}

void check_kernels(const tkl::cuda_context& context, table& rows) {
  rows.head("Every kind of kernel");
  measure_ways<product>(context, rows);
  measure_ways<one_row>(context, rows);
  measure_ways<conv3>(context, rows);
  measure_ways<conv1>(context, rows);
  measure<short_inputs<tkl::f16>, cuda_product::rounded>(context, rows, "f16", 4e-3);
  measure<short_inputs<tkl::bf16>, cuda_product::rounded>(context, rows, "bf16", 3e-2);
  measure_ways<computed>(context, rows);
  measure<depthwise, cuda_product::f32>(context, rows, "f32", 1e-4);
  measure<softmax_and_norm, cuda_product::f32>(context, rows, "f32", 1e-4);
  measure<attention, cuda_product::f32>(context, rows, "f32", 1e-4);
  measure<others, cuda_product::f32>(context, rows, "f32", 1e-4);
  measure<all, cuda_product::f32>(context, rows, "f32", 4e-4);
}

}  // namespace
}  // namespace gpu_bench

/// gpu_check [SECONDS]: what is left of the time; 480 where nothing is said.
int main(int count, char** words) {
  gpu_bench::table rows(count > 1 ? std::atof(words[1]) : 480);
  const auto context = tkl::cuda_context::make();
  if (!context) return std::puts(context.error().message()), 1;
  std::printf("Device: %s, compute capability %d.%d\n", context->device_name(), context->capability() / 10,
              context->capability() % 10);
  gpu_bench::check_kernels(*context, rows);
  gpu_bench::measure_products(*context, rows);
  gpu_bench::measure_convolutions(*context, rows);
  rows.goals();
  std::printf("\n%d wrong or failed\n", rows.faults());
  return rows.faults() == 0 ? 0 : 1;
}
