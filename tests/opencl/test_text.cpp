// SPDX-License-Identifier: Apache-2.0
// What the texts of kernels promise Mali: no arrays, no local memory, no barriers, vector loads; and that a text does
// not depend on when it is written. Needs no device.
//
// A Mali compiler for this host does not exist, so the number of values alive at once is an estimate from the text:
// each vector counts four registers, from its declaration to its last mention.
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

namespace {

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
  }
};
using compiled = tkl::impl::compiled_plan<every_kernel, target>;
static_assert(tkl::supports<every_kernel, target>);

template <std::size_t... I>
std::vector<tkl::opencl_kernel> texts(std::index_sequence<I...>) {
  return {target::kernel<compiled::keys[I]>()...};
}
template <std::size_t... I>
std::vector<tkl::opencl_kernel> late_texts(std::index_sequence<I...>) {
  return {tkl::opencl<tkl::arch::mali_g52, tkl::text_time::start>::kernel<compiled::keys[I]>()...};
}
using all_kernels = std::make_index_sequence<static_cast<std::size_t>(compiled::first.counts.keys)>;

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// 32-bit registers that the values of a text take where most of them are alive.
int most_alive(std::string_view text) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> alive;  // name: first and last place
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins =
        (text[i] == 't' || text[i] == 'i') && (i == 0 || (std::isalnum(text[i - 1]) == 0 && text[i - 1] != '_'));
    if (!begins || std::isdigit(text[i + 1]) == 0) continue;
    std::size_t end = i + 1;
    while (end < text.size() && std::isdigit(text[end]) != 0) ++end;
    const std::string name(text.substr(i, end - i));
    if (alive.count(name) == 0) alive[name] = {i, i};
    alive[name].second = i;
  }
  std::map<std::size_t, int> change;
  for (const auto& [name, span] : alive) {
    const bool vector = text.find("F4 " + name + " =") != std::string_view::npos;
    change[span.first] += vector ? 4 : 1;
    change[span.second] -= vector ? 4 : 1;
  }
  int now = 0, most = 0;
  for (const auto& [at, by] : change) most = std::max(most, now += by);
  return most;
}

TEST_CASE("texts suit a device without local memory") {
  const std::vector<tkl::opencl_kernel> all = texts(all_kernels{});
  std::map<std::string_view, int> seen;
  for (const tkl::opencl_kernel& k : all) {
    CAPTURE(k.name);
    ++seen[k.name];
    for (const std::string_view word : {"__local", "barrier", "__private", "double", "image", "while", "goto"})
      CHECK(count_of(k.source, word) == 0);
    // An array would be a declaration with a bracket: brackets stand behind the names of tables and results alone.
    CHECK(count_of(k.source, "[") == count_of(k.source, "tables[") + count_of(k.source, "y["));
    CHECK(count_of(k.source, "{") == count_of(k.source, "}"));
    const int alive = most_alive(k.source);
    MESSAGE(k.name, ": ", k.source.size(), " characters, ", k.arguments, " arguments, ", count_of(k.source, "load4_"),
            " vector loads, about ", alive, " registers alive");
    if (k.name == "conv2d") CHECK(alive <= tkl::arch::mali_g52::facts.registers);
    if (k.name != "reduce") CHECK(count_of(k.source, "load4_") > 0);
  }
  for (const std::string_view name : {"conv2d", "depthwise", "pool2d", "conv_transpose2d", "resize2d", "pad",
                                      "layer_norm", "attention", "matmul", "softmax", "reduce"})
    CHECK(seen[name] > 0);
}

TEST_CASE("a text is the same whenever it is written") {
  const std::vector<tkl::opencl_kernel> now = texts(all_kernels{}), late = late_texts(all_kernels{});
  REQUIRE(now.size() == late.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    CHECK(now[i].source == late[i].source);
    CHECK(std::equal(now[i].argument, now[i].argument + now[i].arguments, late[i].argument,
                     late[i].argument + late[i].arguments));
  }
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
