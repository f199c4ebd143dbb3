// SPDX-License-Identifier: Apache-2.0
// Sizes and alignments of the types that programs and libraries exchange: one line a type.
#include <tkl/core/element.hpp>
#include <tkl/core/shape.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/tensor.hpp>
#include <tkl/core/view.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/graph/plan.hpp>

template <class... T>
struct layouts_of {
  static constexpr unsigned long count = 2 * sizeof...(T);
  unsigned long numbers[count] = {sizeof(T)..., alignof(T)...};
};

extern const layouts_of<tkl::half, tkl::bfloat16, tkl::shape, tkl::status, tkl::message_text, tkl::result<int>,
                        tkl::tensor<float, tkl::nhwc<1, 8, 8, 3>>, tkl::tensor<tkl::half, tkl::nhwc<1, 3, 3, 3>>,
                        tkl::view<float, tkl::nhwc<1, 8, 8, 3>>, tkl::node, tkl::graph, tkl::step, tkl::edge,
                        tkl::kernel_key>
    layouts;
decltype(layouts) layouts{};
