// SPDX-License-Identifier: Apache-2.0
// The CUDA run time: streams of ours and of the caller, memory, captured graphs, launches, and every call that fails.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "support/cuda_compare.hpp"

namespace {

struct doubler {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 6});
    g.output(tkl::linear(x, g.weight("w", {3, 6})) * 2.0, "y");
    g.output(tkl::relu(x), "z");
  }
};
using net = tkl::compile<doubler, tkl::cuda<>>;
static_assert(net::steps == 2 && net::kernels == 2 && net::inputs == 1 && net::outputs == 2);
static_assert(net::needs.capability == 0 && !net::needs.exact && net::needs.block_threads == 128 &&
              net::needs.shared_bytes == 0 && net::needs.alignment == 4);
template <class Arch>
using in_tiles = tkl::compile<doubler, tkl::half_storage<tkl::cuda<Arch, tkl::cuda_product::rounded>>>;
static_assert(in_tiles<tkl::arch::sm_80>::needs.capability == 80 &&
              in_tiles<tkl::arch::sm_80>::needs.shared_bytes == tkl::arch::cuda_tensor_tile.shared_bytes(4));
static_assert(in_tiles<tkl::arch::sm_90a>::needs.exact);

template <class Net = net>
tkl::result<Net> loaded(const tkl::cuda_context& c) {
  tkl::graph g;
  tkl::build_model<doubler>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  return Net::load(c, *tensors);
}
std::array<float, 24> numbers() {
  std::array<float, 24> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 11;
  return x;
}
int calls(const char* name) {
  return cuda_cpu::sim().called[name];
}

TEST_CASE("a model and its callers: one allocation for a model with its first caller") {
  const int before = calls("cudaMalloc");
  const auto model = loaded(tkl_test::device());
  REQUIRE(model.ok());
  const auto one = net::workspace::make(*model);
  CHECK(calls("cudaMalloc") == before + 1);
  const auto two = net::workspace::make(*model);
  CHECK(calls("cudaMalloc") == before + 2);
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  const std::array<float, 24> x = numbers();
  std::array<float, 12> y{}, other{};
  std::array<float, 24> z{};
  const int allocated = calls("cudaMalloc"), launched = calls("cudaLaunchKernel"), graphs = calls("cudaGraphLaunch");
  std::string message = (*model)(*one, x, y, z).message();
  CHECK(message == "");
  message = (*model)(*two, x, other, z).message();
  CHECK(message == "");
  CHECK(calls("cudaMalloc") == allocated);
  CHECK(calls("cudaLaunchKernel") == launched);
  CHECK(calls("cudaGraphLaunch") == graphs + 2);
  CHECK(y == other);
  CHECK(z[0] == 0);
  CHECK(z[23] == 12);
  std::array<float, 23> wrong{};
  message = (*model)(*one, wrong, y, z).message();
  CHECK(message == "input 'x': 23 elements given, the model has 24");
}

TEST_CASE("a workspace outlives its model, and gives the model's memory back") {
  auto model = loaded(tkl_test::device());
  REQUIRE(model.ok());
  void* first = nullptr;
  {
    const auto w = net::workspace::make(*model);
    REQUIRE(w.ok());
    first = w->input(0);
  }
  const auto again = net::workspace::make(*model);
  REQUIRE(again.ok());
  CHECK(again->input(0) == first);
  model = tkl::status::failure(tkl::message_text("gone"));
  const std::array<float, 24> x = numbers();
  std::array<float, 12> y{};
  std::array<float, 24> z{};
  const void* in[] = {x.data()};
  void* out[] = {y.data(), z.data()};
  CHECK(again->run(in, out).ok());
  CHECK(z[23] == 12);
}

TEST_CASE("the caller's stream and memory: work waits for what the stream has before") {
  cudaStream_t stream{};
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    const auto borrowed = tkl::cuda_context::use(stream);
    REQUIRE(borrowed.ok());
    const auto model = loaded(*borrowed);
    REQUIRE(model.ok());
    auto workspace = net::workspace::make(*model);
    REQUIRE(workspace.ok());
    // An input that begins at no multiple of 16 bytes, written by work that is already in the stream.
    const auto in = tkl_test::device_memory(nullptr, 26 * 4), out = tkl_test::device_memory(nullptr, 24 * 4);
    auto* const first = reinterpret_cast<float*>(in.data()) + 1;
    auto* const z = reinterpret_cast<float*>(out.data());
    std::string message = workspace->use_input(0, first).message();
    CHECK(message == "");
    message = workspace->use_output(1, z).message();
    CHECK(message == "");
    cuda_cpu::simulator::enqueue(stream, [first] { std::fill_n(first, 24, 2.0f); });
    CHECK(model->enqueue(*workspace).ok());
    CHECK(z[0] != z[0]);  // nothing has run yet
    CHECK(borrowed->synchronise().ok());
    for (int i = 0; i < 24; ++i) CHECK(z[i] == 2);
    message = workspace->use_output(1, reinterpret_cast<std::byte*>(z) + 1).message();
    CHECK(message == "a place on the device that is null or no multiple of 4 bytes");
    cuda_cpu::sim().fail("cudaGraphInstantiate", 1, cudaErrorMemoryAllocation);
    message = workspace->use_output(1, z).message();
    CHECK(message == "cudaGraphInstantiate: cudaErrorMemoryAllocation (2)");
    message = workspace->enqueue().message();
    CHECK(message == "CUDA: the steps could not be captured for this place");
  }
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  const std::string message = tkl::cuda_context::use(nullptr).error().message();
  CHECK(message == "CUDA: the default stream cannot be captured, give a stream of your own");
}

struct product {
  static constexpr void build(tkl::graph& g) {
    g.output(tkl::matmul(g.input("a", tkl::f32, {4, 8}), g.input("b", tkl::f32, {8, 4})));
  }
};

TEST_CASE("a product waits for what the stream writes before it, in each of 1000 runs") {
  using product_net = tkl::compile<product, tkl::cuda<>>;
  const tkl::cuda_context& context = tkl_test::device();
  const auto a = tkl_test::device_memory(nullptr, 32 * 4), b = tkl_test::device_memory(nullptr, 32 * 4),
             y = tkl_test::device_memory(nullptr, 16 * 4);
  const auto floats = [](const tkl::cuda_memory_block& m) { return reinterpret_cast<float*>(m.data()); };
  std::fill_n(floats(b), 32, 1.0f);
  const std::vector<std::byte> file = tkl_test::random_weights_file(tkl::graph{});
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto model = product_net::load(context, *tensors);
  REQUIRE(model.ok());
  auto workspace = product_net::workspace::make(*model);
  REQUIRE(workspace.ok());
  REQUIRE(workspace->use_input(0, floats(a)).ok());
  REQUIRE(workspace->use_input(1, floats(b)).ok());
  REQUIRE(workspace->use_output(0, floats(y)).ok());
  int wrong = 0;
  for (int run = 0; run < 1000; ++run) {
    std::fill_n(floats(a), 32, 1.0f);
    std::fill_n(floats(y), 16, 0.0f);
    cuda_cpu::simulator::enqueue(context.stream(), [&] { std::fill_n(floats(a), 32, 2.0f); });
    wrong += !model->enqueue(*workspace).ok();
    wrong += floats(y)[0] != 0;  // nothing has run yet
    wrong += !context.synchronise().ok();
    wrong += !std::all_of(floats(y), floats(y) + 16, [](float v) { return v == 16; });
  }
  CHECK(wrong == 0);
}

TEST_CASE("every call that fails is reported by its name, and nothing stays allocated") {
  const std::size_t before = cuda_cpu::sim().memory.size();
  const auto run = [](const char* name, int n, cudaError_t code) -> std::string {
    cuda_cpu::sim().fail(name, n, code);
    auto c = tkl::cuda_context::make();
    if (!c) return c.error().message();
    const auto model = loaded(*c);
    if (!model) return model.error().message();
    const auto w = net::workspace::make(*model);
    if (!w) return w.error().message();
    const std::array<float, 24> x = numbers();
    std::array<float, 12> y{};
    std::array<float, 24> z{};
    y.fill(777);
    const std::string message = (*model)(*w, x, y, z).message();
    if (message != "" && std::string_view(name) != "cudaStreamSynchronize") CHECK(y[0] == 777);
    return message;
  };
  CHECK(run("nothing", 1, cudaErrorIllegalAddress) == "");
  struct row {
    const char* name;
    int n;
    const char* message;
  };
  const row rows[] = {
      {"cudaStreamCreateWithFlags", 1, "cudaStreamCreateWithFlags: cudaErrorIllegalAddress (700)"},
      {"cudaGetDevice", 1, "cudaGetDevice: cudaErrorIllegalAddress (700)"},
      {"cudaGetDevice", 2, "cudaGetDevice: cudaErrorIllegalAddress (700)"},
      {"cudaGetDevice", 3, "cudaGetDevice: cudaErrorIllegalAddress (700)"},
      {"cudaGetDeviceProperties", 1, "cudaGetDeviceProperties: cudaErrorIllegalAddress (700)"},
      {"cudaFuncGetAttributes", 2, "cudaFuncGetAttributes of kernel map: cudaErrorIllegalAddress (700)"},
      {"cudaMemcpyAsync", 1, "cudaMemcpyAsync: cudaErrorIllegalAddress (700)"},
      {"cudaMemcpyAsync", 2, "cudaMemcpyAsync: cudaErrorIllegalAddress (700)"},
      {"cudaMemcpyAsync", 3, "cudaMemcpyAsync: cudaErrorIllegalAddress (700)"},
      {"cudaStreamSynchronize", 1, "cudaStreamSynchronize: cudaErrorIllegalAddress (700)"},
      {"cudaStreamSynchronize", 2, "cudaStreamSynchronize: cudaErrorIllegalAddress (700)"},
      {"cudaStreamBeginCapture", 1, "cudaStreamBeginCapture: cudaErrorIllegalAddress (700)"},
      {"cudaLaunchKernel", 1, "cudaLaunchKernel of kernel conv2d (step 0): cudaErrorIllegalAddress (700)"},
      {"cudaLaunchKernel", 2, "cudaLaunchKernel of kernel map (step 1): cudaErrorIllegalAddress (700)"},
      {"cudaStreamEndCapture", 1, "cudaStreamEndCapture: cudaErrorIllegalAddress (700)"},
      {"cudaGraphInstantiate", 1, "cudaGraphInstantiate: cudaErrorIllegalAddress (700)"},
      {"cudaGraphLaunch", 1, "cudaGraphLaunch: cudaErrorIllegalAddress (700)"},
  };
  for (const row& r : rows) {
    CAPTURE(r.name);
    CAPTURE(r.n);
    CHECK(run(r.name, r.n, cudaErrorIllegalAddress) == r.message);
    CHECK(cuda_cpu::sim().memory.size() == before);
  }
  const std::string message = run("cudaMalloc", 1, cudaErrorMemoryAllocation);
  CAPTURE(message);
  CHECK(message.find("cudaMalloc: cudaErrorMemoryAllocation (2) for ") == 0);
}

TEST_CASE("messages") {
  std::string message =
      tkl::cuda_failure("cudaLaunchKernel", cudaErrorInvalidConfiguration, "conv2d", 3, "stem").message();
  CHECK(message == "cudaLaunchKernel of kernel conv2d (step 'stem'): cudaErrorInvalidConfiguration (9)");
  message = tkl::cuda_failure("cudaMalloc", cudaErrorMemoryAllocation).message();
  CHECK(message == "cudaMalloc: cudaErrorMemoryAllocation (2)");
}

TEST_CASE("a device without code for it, or below what the target needs") {
  cuda_cpu::sim().fail("cudaFuncGetAttributes", 1, cudaErrorNoKernelImageForDevice);
  std::string message = loaded(tkl_test::device()).error().message();
  CHECK(message == "CUDA device 'CPU' of compute capability 8.0: the program has no code for it in kernel conv2d");
  message = loaded<tkl::compile<doubler, tkl::cuda<tkl::arch::sm_90>>>(tkl_test::device()).error().message();
  CHECK(message == "CUDA device 'CPU' of compute capability 8.0: the target needs 9.0");
  CHECK(loaded<tkl::compile<doubler, tkl::cuda<tkl::arch::sm_80>>>(tkl_test::device()).ok());
  const auto refused = [](const tkl::cuda_needs& needs) {
    return std::string(tkl_test::device().check(needs, nullptr, 0, 0).message());
  };
  CHECK(refused({}) == "");
  CHECK(refused({.block_threads = 2048}).find("threads of a block: 2048 needed, it has 1024") != std::string::npos);
  CHECK(refused({.shared_bytes = 200'000}).find("bytes of shared memory of a block: 200000 needed, it has 166912") !=
        std::string::npos);
  // Later GPUs run what was made for an earlier one, but not what belongs to 9.0 alone.
  for (const int major : {8, 9, 10}) {
    CAPTURE(major);
    cuda_cpu::sim().major = major;
    const auto context = tkl::cuda_context::make();
    REQUIRE(context.ok());
    message = loaded<tkl::compile<doubler, tkl::cuda<tkl::arch::sm_90a>>>(*context).error().message();
    CHECK(message == (major == 9 ? ""
                                 : "CUDA device 'CPU' of compute capability " + std::to_string(major) +
                                       ".0: the target needs exactly 9.0"));
    CHECK(loaded<tkl::compile<doubler, tkl::cuda<tkl::arch::sm_90>>>(*context).ok() == (major >= 9));
  }
  cuda_cpu::sim().major = 8;
}

}  // namespace
