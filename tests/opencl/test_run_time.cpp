// SPDX-License-Identifier: Apache-2.0
// The OpenCL run time: contexts of ours and of the caller, device buffers, capabilities, launches, errors with names.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/opencl_compare.hpp"
#include "support/opencl_text_facts.hpp"

namespace {

struct doubler {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {4, 6});
    g.output(tkl::linear(x, g.weight("w", {3, 6})) * 2.0, "y");
    g.output(tkl::relu(x), "z");
  }
};
using net = tkl::compile<doubler, tkl::opencl<>>;
static_assert(net::steps == 2 && net::kernels == 2 && net::inputs == 1 && net::outputs == 2);
static_assert(net::needs.dimensions == 3 && net::needs.group_items == 1 && net::needs.alignment == 4 &&
              !net::needs.half && net::needs.largest_buffer == (std::max)(net::weights_bytes, std::int64_t{96}) &&
              net::needs.memory == net::weights_bytes + net::arena_bytes + 96 + 48 + 96);
struct twice {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::relu(tkl::linear(g.input("x", tkl::f32, {4, 8}), g.weight("w", {8, 8})));
    g.output(tkl::linear(x, g.weight("v", {8, 8})));
  }
};
using in_half = tkl::opencl<tkl::arch::mali_g52, tkl::default_text_time, tkl::opencl_precision::half>;
static_assert(tkl::compile<twice, in_half>::needs.half && !tkl::compile<twice, tkl::opencl<>>::needs.half);

std::vector<std::byte> weights() {
  tkl::graph g;
  tkl::build_model<doubler>(g);
  return tkl_test::random_weights_file(g);
}
tkl::result<net> loaded(const tkl::opencl_context& c) {
  const std::vector<std::byte> file = weights();
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  return net::load(c, *tensors);
}

TEST_CASE("a model and its callers") {
  const auto model = loaded(tkl_test::device());
  REQUIRE(model.ok());
  const auto one = net::workspace::make(*model), two = net::workspace::make(*model);
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  std::array<float, 24> x{};
  std::array<float, 12> y{}, other{};
  std::array<float, 24> z{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 11;
  std::string message = (*model)(*one, x, y, z).message();
  CHECK(message == "");
  message = (*model)(*two, x, other, z).message();
  CHECK(message == "");
  CHECK(y == other);
  CHECK(z[0] == 0);
  CHECK(z[23] == 12);
  std::array<float, 23> wrong{};
  message = (*model)(*one, wrong, y, z).message();
  CHECK(message == "input 'x': 23 elements given, the model has 24");
}

TEST_CASE("kernels of equal source are built once in a context") {
  const tkl::opencl_context& c = tkl_test::device();
  REQUIRE(loaded(c).ok());
  const std::size_t built = c.programs();
  REQUIRE(loaded(c).ok());
  CHECK(c.programs() == built);
}

TEST_CASE("the caller's context, queue and buffers") {
  const tkl::opencl_context& own = tkl_test::device();
  const auto borrowed = tkl::opencl_context::use(own.context(), own.device(), own.queue());
  REQUIRE(borrowed.ok());
  const auto model = loaded(*borrowed);
  REQUIRE(model.ok());
  auto workspace = net::workspace::make(*model);
  REQUIRE(workspace.ok());
  std::array<float, 24> x{}, z{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 11;
  const cl::Buffer in(own.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x.data());
  const cl::Buffer out(own.context(), CL_MEM_READ_WRITE, sizeof z);
  const cl::Buffer too_short(own.context(), CL_MEM_READ_WRITE, 32);
  std::string message = workspace->use_input(0, in).message();
  CHECK(message == "");
  message = workspace->use_output(1, out).message();
  CHECK(message == "");
  message = workspace->use_output(1, too_short).message();
  CHECK(message == "output 1: a buffer of 32 bytes, the model needs 96");
  message = model->enqueue(*workspace).message();
  CHECK(message == "");
  REQUIRE(own.queue().enqueueReadBuffer(out, CL_TRUE, 0, sizeof z, z.data()) == CL_SUCCESS);
  CHECK(z[23] == 12);
  CHECK(z[0] == 0);

  cl_int e = CL_SUCCESS;
  const cl::CommandQueue loose(own.context(), own.device(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
  if (e != CL_SUCCESS) return;
  message = tkl::opencl_context::use(own.context(), own.device(), loose).error().message();
  CHECK(message == "OpenCL: the queue runs commands out of order, a model needs them in order");
}

TEST_CASE("a device that lacks something is refused by what it lacks") {
  const tkl::opencl_context& c = tkl_test::device();
  tkl::opencl_needs needs;
  CHECK(c.check(needs).ok());
  needs.argument_bytes = std::int64_t{1} << 40;
  const std::string message = c.check(needs).message();
  CAPTURE(message);
  CHECK(message.find("bytes of a kernel's arguments: 1099511627776 needed, it has ") != std::string::npos);
  CHECK(message.find("OpenCL device '") == 0);
  const auto refused = [&](const tkl::opencl_needs& n) { return std::string(c.check(n).message()); };
  CHECK(refused({.dimensions = 100}).find("dimensions of work items: 100 needed, it has ") != std::string::npos);
  CHECK(refused({.group_items = 1 << 30}).find("items of a work group: 1073741824 needed") != std::string::npos);
  CHECK(refused({.alignment = 1 << 30}).find("bytes to a multiple of which buffers begin: 1073741824 needed") !=
        std::string::npos);
}

TEST_CASE("a kernel that does not build says so with its name and the compiler's words") {
  const tkl::opencl_context& c = tkl_test::device();
  const tkl::opencl_kernel broken{"conv2d", "__kernel void conv2d(PARAMETERS) { no_such_function(); }\n", nullptr, 0};
  const auto p = c.program(broken);
  REQUIRE(!p.ok());
  const std::string message = p.error().message(), log = c.build_log();
  CAPTURE(message);
  CHECK(message.find("clBuildProgram of kernel conv2d: CL_BUILD_PROGRAM_FAILURE (-11): ") == 0);
  CHECK(log.find("no_such_function") != std::string::npos);
}

TEST_CASE("launches are whole groups that fit kernel and device") {
  const std::size_t most[3] = {1024, 1024, 64};
  auto l = tkl::launch_of({{125, 4, 3}}, {8, 8, 1}, 1024, most);
  CHECK((l.local[0] == 8 && l.local[1] == 4 && l.local[2] == 1));
  CHECK((l.global[0] == 128 && l.global[1] == 4 && l.global[2] == 3));
  for (const std::size_t limit : {1u, 2u, 16u, 64u, 128u, 256u}) {
    l = tkl::launch_of({{1000, 1000, 9}}, {16, 16, 2}, limit, most);
    CHECK(l.local[0] * l.local[1] * l.local[2] <= limit);
    for (int i = 0; i < 3; ++i) CHECK(l.global[i] % l.local[i] == 0);
    CHECK((l.global[0] >= 1000 && l.global[1] >= 1000 && l.global[2] >= 9));
  }
  CHECK(tkl::launch_of({{0, 4, 4}}, {8, 8, 1}, 64, most).empty());
}

/// One kernel for three steps, of which two have the same extents.
struct layers {
  static constexpr void build(tkl::graph& g) {
    const auto x = tkl::relu(tkl::linear(g.input("x", tkl::f32, {5, 8}), g.weight("a", {16, 8})));
    const auto y = tkl::relu(tkl::linear(x, g.weight("b", {16, 16})));
    g.output(tkl::relu(tkl::linear(y, g.weight("c", {16, 16}))));
  }
};
struct mali_with_literals : tkl::arch::mali_g52 {
  static constexpr tkl::work_item_schedule items = [] {
    tkl::work_item_schedule s = tkl::arch::mali_g52::items;
    s.literal_extents = true;
    return s;
  }();
};

/// The results of Net in a context of its own, and how many programs were built there.
template <class Net>
std::pair<std::array<float, 80>, std::size_t> results() {
  tkl::graph g;
  tkl::build_model<layers>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto context = tkl::opencl_context::make(tkl_test::device().device());
  REQUIRE(context.ok());
  const auto model = Net::load(*context, *tensors);
  REQUIRE_MESSAGE(model.ok(), model.error().message());
  const auto memory = Net::workspace::make(*model);
  REQUIRE_MESSAGE(memory.ok(), memory.error().message());
  std::array<float, 40> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 19;
  std::array<float, 80> y{};
  const std::string message = (*model)(*memory, x, y).message();
  REQUIRE(message == "");
  return {y, context->programs()};
}

TEST_CASE("extents as numbers in the text, where the schedule asks for it") {
  using shared = tkl::compile<layers, tkl::opencl<>>;
  using literal = tkl::compile<layers, tkl::opencl<mali_with_literals>>;
  static_assert(shared::steps == 3 && shared::kernels == 1 && literal::kernels == 1);
  const auto one = results<shared>(), two = results<literal>();
  CHECK(one.second == 1);
  CHECK(two.second == 2);
  CHECK(one.first == two.first);
  CHECK(*std::max_element(one.first.begin(), one.first.end()) > 0);

  const tkl::device_plan plan = literal::plan();
  const tkl::opencl_kernel of_key = literal::kernel_list()[0];
  const tkl::opencl_literal_kernel of_step(of_key, plan.steps[0], plan.edges);
  const std::string plain = tkl::opencl_context::full_source(of_key),
                    text = tkl::opencl_context::full_source(of_step.kernel());
  CHECK(plain.find("const int y_extent3") != std::string::npos);
  CHECK(plain.find("#define y_extent3") == std::string::npos);
  CHECK(text.find("const int y_extent3") == std::string::npos);
  CHECK(text.find("#define y_extent3 16\n") != std::string::npos);
  CHECK(text.find("#define x_extent3 8\n") != std::string::npos);
  CHECK(text.find("const int y_stride2") != std::string::npos);
  CHECK(tkl_test::count_of(text, "const int x_extent") + tkl_test::count_of(text, "const int y_extent") == 0);
  CHECK(of_step.kernel().arguments < of_key.arguments);
}

TEST_CASE("error codes have names") {
  CHECK(tkl::opencl_error_name(CL_OUT_OF_RESOURCES) == "CL_OUT_OF_RESOURCES");
  CHECK(tkl::opencl_error_name(CL_INVALID_WORK_GROUP_SIZE) == "CL_INVALID_WORK_GROUP_SIZE");
  CHECK(tkl::opencl_error_name(CL_INVALID_DEVICE_PARTITION_COUNT) == "CL_INVALID_DEVICE_PARTITION_COUNT");
  CHECK(tkl::opencl_error_name(CL_KERNEL_ARG_INFO_NOT_AVAILABLE) == "CL_KERNEL_ARG_INFO_NOT_AVAILABLE");
  CHECK(tkl::opencl_error_name(-999) == "");
  const std::string message = tkl::opencl_failure("clSetKernelArg", CL_INVALID_ARG_SIZE, "pool2d", "stem").message();
  CHECK(message == "clSetKernelArg of kernel pool2d (step 'stem'): CL_INVALID_ARG_SIZE (-51)");
}

}  // namespace
