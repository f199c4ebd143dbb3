// SPDX-License-Identifier: Apache-2.0
// The matrix of docs/support.md, which is made from the headers, against what supports<Model, Target> says of models of
// one operation each.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tkl/cpu.hpp>
#include <tkl/exec/cuda_target.hpp>
#include <tkl/exec/opencl_target.hpp>
#include <tkl/graph.hpp>
#include <tkl/graph/supports.hpp>

namespace {

using tkl::algorithm;
using tkl::graph;
using tkl::value;

/// A model whose plan has a step of A where the target has that algorithm.
template <algorithm A>
struct model {
  static constexpr void build(graph& g) {
    const value x = g.input("x", tkl::f32, {1, 12, 12, 16});
    if (A == algorithm::matmul) g.output(tkl::matmul(x, g.input("y", tkl::f32, {1, 12, 16, 12})));
    if (A == algorithm::conv2d) g.output(tkl::conv2d(x, g.weight("w", {8, 16, 5, 5})));
    if (A == algorithm::conv2d_staged) {
      const value picture = tkl::cast(g.input("picture", tkl::u8, {1, 12, 12, 3}), tkl::f32) / 255.0;
      g.output(tkl::conv2d(picture, g.weight("w", {8, 3, 3, 3}), {.stride = 2}));
    }
    if (A == algorithm::depthwise) g.output(tkl::conv2d(x, g.weight("w", {16, 1, 3, 3}), {.groups = 16}));
    if (A == algorithm::conv_transpose2d)
      g.output(tkl::conv_transpose2d(x, g.weight("w", {16, 8, 2, 2}), {.stride = 2}));
    if (A == algorithm::pool2d) g.output(tkl::max_pool2d(x, {.kernel = 2, .stride = 2}));
    if (A == algorithm::reduce) g.output(tkl::reduce_sum(x, {1, 2}));
    if (A == algorithm::softmax) g.output(tkl::softmax(x));
    if (A == algorithm::layer_norm) g.output(tkl::layer_norm(x, {.eps = 1e-5}));
    if (A == algorithm::attention) {
      const value rows = tkl::reshape(x, {1, 144, 16});
      g.output(tkl::attention(rows, rows, rows, {.heads = 2}));
    }
    if (A == algorithm::resize2d) g.output(tkl::resize(x, {.extent = {5, 9}, .kind = tkl::resize_kind::bilinear}));
    if (A == algorithm::pad) g.output(tkl::pad(x, tkl::shape(0, 1, 1, 0), tkl::shape(0, 1, 1, 0)));
    if (A == algorithm::map) g.output(tkl::relu(x));
    if (A == algorithm::winograd)  // large enough to be chosen where it is there
      g.output(tkl::conv2d(g.input("large", tkl::f32, {1, 56, 56, 64}), g.weight("w", {64, 64, 3, 3}), {.pad = 1}));
    if (A == algorithm::conv_chain) {  // the same
      const value d = tkl::conv2d(g.input("large", tkl::f32, {1, 224, 224, 64}), g.weight("d", {64, 1, 3, 3}),
                                  {.pad = 1, .groups = 64});
      g.output(tkl::conv2d(d, g.weight("w", {8, 64, 1, 1})));
    }
  }
};

template <algorithm A, class Target>
std::string cell() {
  if constexpr (tkl::supports<model<A>, Target>) {
    for (const tkl::kernel_key& k : tkl::impl::compiled_plan<model<A>, Target>::keys)
      if (k.algorithm == A) return "yes";
    return "never";
  } else {
    return "no";
  }
}

/// The cells of the page by algorithm, without the numbers of notes: "yes yes never".
std::map<std::string, std::string> page() {
  std::map<std::string, std::string> rows;
  std::ifstream file(TKL_SOURCE_DIR "/docs/support.md");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ")) continue;
    std::string name, cells;
    for (std::size_t at = 2, end = 0; (end = line.find(" |", at)) != std::string::npos; at = end + 3) {
      const std::string cell = line.substr(at, line.find(' ', at) - at);
      (name.empty() ? name : cells) += cells.empty() ? cell : ' ' + cell;
    }
    rows[name] = cells;
  }
  return rows;
}

template <algorithm... A>
void compare() {
  std::map<std::string, std::string> rows = page();
  const auto check = [&](std::string_view name, const std::string& cells) {
    CAPTURE(name);
    CHECK(rows[std::string(name)] == cells);
    rows.erase(std::string(name));
  };
  check("algorithm", "cpu opencl cuda");
  (check(name_of(A), cell<A, tkl::cpu<>>() + ' ' + cell<A, tkl::opencl<>>() + ' ' + cell<A, tkl::cuda<>>()), ...);
  CHECK(rows.empty());
}

TEST_CASE("the page says what supports says") {
  compare<algorithm::matmul, algorithm::conv2d, algorithm::conv2d_staged, algorithm::depthwise,
          algorithm::conv_transpose2d, algorithm::pool2d, algorithm::reduce, algorithm::softmax, algorithm::layer_norm,
          algorithm::attention, algorithm::resize2d, algorithm::pad, algorithm::map, algorithm::winograd,
          algorithm::conv_chain>();
}

}  // namespace
