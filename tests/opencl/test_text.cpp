// SPDX-License-Identifier: Apache-2.0
// What the texts of kernels promise Mali: no arrays, no local memory, no barriers, vector loads; and that a text does
// not depend on when it is written. Needs no device.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>
#include <vector>

#include "support/opencl_text_facts.hpp"
#include "support/opencl_written.hpp"

namespace {

using tkl_test::count_of;
using tkl_test::most_alive;

using target = tkl::opencl<tkl::arch::mali_g52>;

struct every_kernel {
  static constexpr void build(tkl::graph& g) {
    const auto x = g.input("x", tkl::f32, {1, 12, 12, 8});
    auto y = tkl::relu(tkl::conv2d(x, g.weight("conv", {16, 8, 3, 3}), g.weight("bias", {16}), {.pad = 1}));
    y = tkl::hard_swish(tkl::conv2d(y, g.weight("depthwise", {16, 1, 3, 3}), {.pad = 1, .groups = 16})) + y;
    y = tkl::max_pool2d(y, {.kernel = 2, .stride = 2});
    y = tkl::conv_transpose2d(y, g.weight("up", {16, 8, 2, 2}), {.stride = 2});
    y = tkl::resize(tkl::pad(y, tkl::shape(0, 1, 1, 0), tkl::shape(0, 1, 1, 0)),
                    {.extent = {7, 7}, .kind = tkl::resize_kind::bilinear});
    const auto rows = tkl::layer_norm(tkl::reshape(y, {1, 49, 8}), g.weight("scale", {8}), g.weight("offset", {8}));
    const auto mixed = tkl::attention(rows, rows, rows, {.heads = 2});
    g.output(tkl::softmax(tkl::matmul(mixed, rows, {.transpose_b = true})));
    g.output(tkl::gelu(tkl::reduce_mean(y, {1, 2})));
    g.output(tkl::argmax(x, 3));
    const auto bytes = tkl::cast(tkl::flip(g.input("bytes", tkl::u8, {1, 12, 12, 3}), 3), tkl::f32) / 255.0;
    g.output(tkl::conv2d(tkl::keep_first(bytes, g.input("columns", tkl::i32, {1}), 2), g.weight("stem", {8, 3, 3, 3})));
  }
};
using compiled = tkl::impl::compiled_plan<every_kernel, target>;
static_assert(tkl::supports<every_kernel, target>);

template <tkl::text_time When = tkl::default_text_time, std::size_t... I>
std::vector<tkl::opencl_kernel> texts(std::index_sequence<I...>) {
  return {tkl::opencl<tkl::arch::mali_g52, When>::template kernel<compiled::keys[I]>()...};
}
using all_kernels = std::make_index_sequence<static_cast<std::size_t>(compiled::first.counts.keys)>;

TEST_CASE("texts suit a device without local memory") {
  const std::vector<tkl::opencl_kernel> all = texts(all_kernels{});
  std::map<std::string_view, int> seen;
  for (const tkl::opencl_kernel& k : all) {
    CAPTURE(k.name);
    ++seen[k.name];
    for (const std::string_view word : tkl_test::unwanted_words) CHECK(count_of(k.source, word) == 0);
    CHECK(tkl_test::private_arrays(k.source) == 0);
    CHECK(count_of(k.source, "{") == count_of(k.source, "}"));
    const int alive = most_alive(k.source);
    MESSAGE(k.name, ": ", k.source.size(), " characters, ", k.arguments, " arguments, ", count_of(k.source, "load4_"),
            " vector loads, about ", alive, " registers alive");
    if (k.name == "conv2d") CHECK(alive <= tkl::arch::mali_g52::facts.registers);
    if (k.name != "reduce") CHECK(count_of(k.source, "load4_") > 0);
  }
  for (const std::string_view name : {"conv2d", "depthwise", "pool2d", "conv_transpose2d", "resize2d", "pad",
                                      "layer_norm", "attention", "matmul", "softmax", "reduce", "conv2d_staged"})
    CHECK(seen[name] > 0);
}

TEST_CASE("a text is the same whenever it is written") {
  const std::vector<tkl::opencl_kernel> now = texts<tkl::text_time::compile>(all_kernels{}),
                                        late = texts<tkl::text_time::start>(all_kernels{});
  REQUIRE(now.size() == late.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    CHECK(now[i].source == late[i].source);
    CHECK(std::equal(now[i].argument, now[i].argument + now[i].arguments, late[i].argument,
                     late[i].argument + late[i].arguments));
  }
}

template <std::size_t... I>
std::vector<std::string> written_from_data(std::index_sequence<I...>) {
  return {std::string(tkl_test::written_kernel<target::items>(compiled::keys[I])->source.view())...};
}
/// The statements of a text without the numbers of names, sorted: what does not depend on the order in which a compiler
/// evaluates the operands of an operator.
std::vector<std::string> statements(std::string_view text) {
  std::vector<std::string> all(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') all.emplace_back();
    const bool name = i > 0 && (text[i - 1] == 'i' || text[i - 1] == 't' || std::isdigit(text[i - 1]) != 0);
    if (!(name && std::isdigit(text[i]) != 0)) all.back() += text[i];
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST_CASE("what the other tests write from keys that no compiler has seen are the same statements") {
  const std::vector<tkl::opencl_kernel> all = texts(all_kernels{});
  const std::vector<std::string> written = written_from_data(all_kernels{});
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(statements(written[i]) == statements(all[i].source));
}

TEST_CASE("numbers are written exactly") {
  const auto written = [](float v) {
    tkl::text<40> t;
    tkl::write_number(t, v);
    return std::string(t.view());
  };
  CHECK(written(0.0f) == "0.0f");
  CHECK(written(-6.0f) == "-6.0f");
  CHECK(written(0.1f) == "0x1.99999ap-4f");
  CHECK(written(1e-45f) == "0x0.000002p-126f");
  CHECK(written(std::numeric_limits<float>::infinity()) == "INFINITY");
  CHECK(written(-std::numeric_limits<float>::infinity()) == "-INFINITY");
  CHECK(written(std::numeric_limits<float>::quiet_NaN()) == "NAN");
  for (const float v : {3.14159274f, -1e-30f, 8388609.0f, 1.5e20f, 0.70710678f})
    CHECK(std::strtof(written(v).c_str(), nullptr) == v);
}

}  // namespace
