// SPDX-License-Identifier: Apache-2.0
// Problems of the kernels of the catalogue, for the test and the benchmark: extents, the last of them the benchmark's;
// inputs, the output, and the floating-point operations or, where an element costs few of them, the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <tkl/kernels.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace tkl::kernels {

/// The memory of one problem: numbers in [-2, 2), the same in every run.
class case_memory {
 public:
  vector<float> vector_of(std::int64_t n) { return {fresh(n), row_major<dyn>(n)}; }
  matrix<float> matrix_of(std::int64_t rows, std::int64_t columns) {
    return {fresh(rows * columns), row_major<dyn, dyn>(rows, columns)};
  }
  images<float> images_of(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
    return {fresh(n * h * w * c), nhwc<dyn, dyn, dyn, dyn>(n, h, w, c)};
  }
  filters<float> filters_of(std::int64_t out, std::int64_t in, std::int64_t h, std::int64_t w) {
    return {fresh(out * in * h * w), row_major<dyn, dyn, dyn, dyn>(out, in, h, w)};
  }

 private:
  float* fresh(std::int64_t n) {
    std::vector<float>& v = blocks_.emplace_back(static_cast<std::size_t>(n) + 1);
    for (float& x : v) {
      state_ = state_ * 1664525u + 1013904223u;
      x = static_cast<float>(state_ >> 8) * 0x1p-22f - 2.0f;
    }
    return v.data();
  }
  std::deque<std::vector<float>> blocks_{};
  std::uint32_t state_ = 1;
};

/// Inputs and parameters, the output, and how much work it is.
template <class Output, class... Input>
struct problem {
  std::tuple<Input...> in;
  Output out;
  std::int64_t work;
};
template <class Output, class... Input>
problem(std::tuple<Input...>, Output, std::int64_t) -> problem<Output, Input...>;

/// extents: problems by number of rows, columns and so on; make(memory, extents): one of them.
template <class Op>
struct cases;

template <>
struct cases<op::gemm> {
  struct size {
    std::int64_t m, n, k;
  };
  static constexpr size extents[] = {{1, 1, 0},  {1, 1, 1},   {7, 50, 33},    {0, 4, 3},
                                     {5, 1, 70}, {1, 40, 64}, {128, 128, 128}};
  static auto make(case_memory& m, const size& s) {
    return problem{std::tuple(m.matrix_of(s.m, s.k), m.matrix_of(s.k, s.n)), m.matrix_of(s.m, s.n),
                   2 * s.m * s.n * s.k};
  }
};

template <>
struct cases<op::linear> {
  using size = cases<op::gemm>::size;
  static constexpr size extents[] = {{1, 1, 1}, {3, 17, 20}, {1, 100, 70}, {16, 256, 256}};
  static auto make(case_memory& m, const size& s) {
    return problem{std::tuple(m.matrix_of(s.m, s.k), m.matrix_of(s.n, s.k), m.vector_of(s.n)), m.matrix_of(s.m, s.n),
                   2 * s.m * s.n * s.k};
  }
};

template <>
struct cases<op::conv2d> {
  struct size {
    std::int64_t rows, columns, in, out, kernel, stride, groups;
  };
  static constexpr size extents[] = {{5, 6, 3, 8, 3, 1, 1},    {7, 4, 16, 9, 1, 1, 1}, {9, 9, 12, 20, 3, 2, 2},
                                     {6, 7, 10, 10, 3, 1, 10}, {6, 7, 5, 10, 5, 2, 5}, {28, 28, 32, 64, 3, 1, 1}};
  static auto make(case_memory& m, const size& s) {
    const std::int64_t pad = s.kernel / 2, h = (s.rows + 2 * pad - s.kernel) / s.stride + 1,
                       w = (s.columns + 2 * pad - s.kernel) / s.stride + 1;
    const conv2d_params p{.stride = s.stride, .pad = pad, .groups = s.groups};
    return problem{std::tuple(m.images_of(2, s.rows, s.columns, s.in),
                              m.filters_of(s.out, s.in / s.groups, s.kernel, s.kernel), m.vector_of(s.out), p),
                   m.images_of(2, h, w, s.out), 4 * h * w * s.out * s.in / s.groups * s.kernel * s.kernel};
  }
};

/// Both poolings.
template <class Params>
struct pool_cases {
  struct size {
    std::int64_t rows, columns, channels, kernel, stride;
  };
  static constexpr size extents[] = {{5, 6, 3, 2, 1}, {8, 8, 17, 3, 2}, {1, 1, 1, 1, 1}, {56, 56, 64, 3, 2}};
  static auto make(case_memory& m, const size& s) {
    const std::int64_t h = (s.rows - s.kernel) / s.stride + 1, w = (s.columns - s.kernel) / s.stride + 1;
    const Params p{.kernel = s.kernel, .stride = s.stride};
    return problem{std::tuple(m.images_of(2, s.rows, s.columns, s.channels), p), m.images_of(2, h, w, s.channels),
                   2 * h * w * s.channels * s.kernel * s.kernel};
  }
};
template <>
struct cases<op::max_pool2d> : pool_cases<max_pool2d_params> {};
template <>
struct cases<op::average_pool2d> : pool_cases<average_pool2d_params> {};

/// Kernels that go row by row.
struct row_cases {
  struct size {
    std::int64_t rows, columns;
  };
  static constexpr size extents[] = {{1, 1}, {3, 7}, {4, 33}, {0, 5}, {2, 300}, {64, 1024}};
};
template <>
struct cases<op::softmax> : row_cases {
  static auto make(case_memory& m, const size& s) {
    return problem{std::tuple(m.matrix_of(s.rows, s.columns)), m.matrix_of(s.rows, s.columns), s.rows * s.columns};
  }
};
template <>
struct cases<op::log_softmax> : cases<op::softmax> {};
template <>
struct cases<op::layer_norm> : row_cases {
  static auto make(case_memory& m, const size& s) {
    return problem{
        std::tuple(m.matrix_of(s.rows, s.columns), m.vector_of(s.columns), m.vector_of(s.columns), layer_norm_params{}),
        m.matrix_of(s.rows, s.columns), s.rows * s.columns};
  }
};

template <fixed_text Function>
struct cases<op::map<Function>> {
  static constexpr std::int64_t extents[] = {0, 1, 7, 8, 33, 1000, 4096};
  static auto make(case_memory& m, std::int64_t n) { return problem{std::tuple(m.vector_of(n)), m.vector_of(n), n}; }
};
template <fixed_text Function>
struct cases<op::map2<Function>> {
  static constexpr std::int64_t extents[] = {0, 1, 7, 8, 33, 1000, 4096};
  static auto make(case_memory& m, std::int64_t n) {
    return problem{std::tuple(m.vector_of(n), m.vector_of(n)), m.vector_of(n), n};
  }
};

/// A kernel on the inputs of a problem: f(inputs..., more...).
template <class F, class Inputs, class... More>
auto with_inputs(F f, const Inputs& in, const More&... more) {
  return std::apply([&](const auto&... x) { return f(x..., more...); }, in);
}

}  // namespace tkl::kernels
