// SPDX-License-Identifier: Apache-2.0
// From a kernel key to the text of its kernel: the algorithm of algo/work_item runs on the machine that writes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tkl/algo/map_traits.hpp>
#include <tkl/algo/work_item/attention.hpp>
#include <tkl/algo/work_item/conv2d.hpp>
#include <tkl/algo/work_item/conv2d_staged.hpp>
#include <tkl/algo/work_item/conv_transpose2d.hpp>
#include <tkl/algo/work_item/depthwise.hpp>
#include <tkl/algo/work_item/layer_norm.hpp>
#include <tkl/algo/work_item/map.hpp>
#include <tkl/algo/work_item/matmul.hpp>
#include <tkl/algo/work_item/pad.hpp>
#include <tkl/algo/work_item/pool2d.hpp>
#include <tkl/algo/work_item/reduce.hpp>
#include <tkl/algo/work_item/resize2d.hpp>
#include <tkl/algo/work_item/softmax.hpp>
#include <tkl/graph/plan.hpp>
#include <tkl/target/opencl_epilogue.hpp>
#include <tkl/target/opencl_machine.hpp>
#include <type_traits>

namespace tkl {

/// A kernel as the host sees it: its text without the list of parameters, and what the parameters are.
struct opencl_kernel {
  std::string_view name{};  // of the function
  std::string_view source{};
  const text_argument* argument = nullptr;
  int arguments = 0;
};

/// Why no kernel of this target runs a step; empty when one does.
constexpr std::string_view opencl_unsupported(const step& s, const kernel_key& k, const edge* edges) {
  switch (k.algorithm) {
    case algorithm::reduce:
      if (k.variant[1] == 0) return "a reduction over no axis has no OpenCL kernel";
      break;
    default:
      break;
  }
  const auto too_large = [&](std::int16_t e) {
    if (e < 0) return false;
    std::int64_t last = edges[e].offset;  // the farthest element, in bytes
    for (int i = 0; i < plan_rank; ++i) {
      const std::int64_t step = edges[e].stride[i] < 0 ? -std::int64_t{edges[e].stride[i]} : edges[e].stride[i];
      last += (edges[e].extent[i] > 0 ? edges[e].extent[i] - 1 : 0) * step *
              static_cast<std::int64_t>(size_of(edges[e].type));
    }
    return last > 0x7fffffff;
  };
  bool large = too_large(s.out) || too_large(s.weight);
  for (std::int16_t e : s.in) large = large || too_large(e);
  for (std::int16_t e : s.operand) large = large || too_large(e);
  for (std::int16_t e : s.prologue_operand) large = large || too_large(e);
  return large ? "a tensor reaches beyond 2147483647 bytes, kernels count in 32 bits" : "";
}

/// Items along each dimension that a step needs; a count may be 0.
constexpr item_counts opencl_items(const work_item_schedule& schedule, const step& s, const kernel_key& k,
                                   const edge* edges) {
  const std::int32_t* out = edges[s.out].extent;
  switch (k.algorithm) {
    case algorithm::conv2d:
      return items_of_groups(out, s.parameters.groups, item_width * schedule.vectors, schedule.pixels);
    case algorithm::conv2d_staged:
    case algorithm::matmul:
      return items_of_output(out, item_width * schedule.vectors, schedule.pixels);
    case algorithm::conv_transpose2d:
      return conv_transpose2d_items(schedule, out, s.parameters.groups, s.parameters.stride[1]);
    case algorithm::attention:
      return items_of_groups(out, s.parameters.heads, item_width, 1);
    case algorithm::depthwise:
      return items_of_output(out, item_width, schedule.pixels);
    case algorithm::softmax:
    case algorithm::layer_norm:
      return out[3] == 0 ? item_counts{{0, 0, 0}} : items_of_rows(out);
    case algorithm::reduce:
      return reduce_items(out, (k.variant[1] & 8) != 0 || k.variant[0] == static_cast<int>(reduce_kind::argmax));
    default:
      return items_of_output(out, item_width, 1);
  }
}

TKL_ISA_BEGIN

namespace impl {

/// What the item of a kernel does, between the braces.
template <kernel_key K, work_item_schedule S>
constexpr void write_body(opencl_machine& m) {
  if constexpr (K.algorithm == algorithm::map) {
    map_item(m);
  } else if constexpr (K.algorithm == algorithm::conv2d) {
    conv2d_item<S>(m);
  } else if constexpr (K.algorithm == algorithm::conv2d_staged) {
    conv2d_staged_item<S>(m);
  } else if constexpr (K.algorithm == algorithm::conv_transpose2d) {
    conv_transpose2d_item<S>(m);
  } else if constexpr (K.algorithm == algorithm::matmul) {
    matmul_item<S, K.variant[0] != 0, K.variant[1] != 0>(m);
  } else if constexpr (K.algorithm == algorithm::attention) {
    attention_item<K.variant[0] != 0>(m);
  } else if constexpr (K.algorithm == algorithm::depthwise) {
    depthwise_item<S, K.variant[1], K.variant[2]>(m);
  } else if constexpr (K.algorithm == algorithm::pool2d) {
    pool2d_item<static_cast<pool_kind>(K.variant[0])>(m);
  } else if constexpr (K.algorithm == algorithm::softmax) {
    softmax_item<static_cast<softmax_kind>(K.variant[0])>(m);
  } else if constexpr (K.algorithm == algorithm::layer_norm) {
    layer_norm_item(m);
  } else if constexpr (K.algorithm == algorithm::pad) {
    pad_item(m);
  } else if constexpr (K.algorithm == algorithm::resize2d) {
    resize2d_item<static_cast<resize_kind>(K.variant[0])>(m);
  } else if constexpr (K.algorithm == algorithm::reduce && K.variant[1] != 0) {
    if constexpr (static_cast<reduce_kind>(K.variant[0]) == reduce_kind::argmax) {
      argmax_item<K.variant[1]>(m);
    } else {
      reduce_item<static_cast<reduce_kind>(K.variant[0]), K.variant[1]>(m);
    }
  }
}

}  // namespace impl

/// Writes the kernel of a key: prologue and epilogue as functions, then the body.
template <kernel_key K, work_item_schedule S>
constexpr kernel_writer write_kernel() {
  kernel_writer w;
  constexpr bool index = K.algorithm == algorithm::reduce && K.variant[0] == static_cast<int>(reduce_kind::argmax);
  if constexpr (K.algorithm == algorithm::conv2d_staged)
    opencl_epilogue(w, K.out, role::prologue).write_prologue(bind<K.prologue>(slot_names{}));
  if constexpr (!index) {
    const auto epilogue = bind<K.epilogue>(slot_names{});
    opencl_epilogue(w, K.out).write(epilogue, copies<std::remove_const_t<decltype(epilogue)>, storage_t<K.out>>,
                                    K.algorithm == algorithm::map && K.variant[0] != 0);
  }
  w << "__kernel void " << name_of(K.algorithm) << "(PARAMETERS) {\n";
  opencl_machine m(w, K.in, K.out, K.weights);
  impl::write_body<K, S>(m);
  w << "}\n";
  return w;
}

/// The kernel of a key, written by the compiler into an array of exact size.
template <kernel_key K, work_item_schedule S>
struct opencl_text {
  static constexpr kernel_writer written = write_kernel<K, S>();
  static_assert(!written.overflown(), "the text of a kernel, or its list of arguments, is too long");
  static constexpr auto source = [] {
    std::array<char, written.source.size> t{};
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = written.source.chars[i];
    return t;
  }();
  static constexpr auto argument = [] {
    std::array<text_argument, static_cast<std::size_t>(written.arguments)> a{};
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = written.argument[i];
    return a;
  }();
  static opencl_kernel kernel() {
    return {name_of(K.algorithm), {source.data(), source.size()}, argument.data(), static_cast<int>(argument.size())};
  }
};

/// The same, written when it is first asked for: the program starts later and compiles faster.
template <kernel_key K, work_item_schedule S>
struct opencl_text_at_start {
  static opencl_kernel kernel() {
    static const kernel_writer written = write_kernel<K, S>();
    return {name_of(K.algorithm), written.source.view(), written.argument, written.arguments};
  }
};

TKL_ISA_END
}  // namespace tkl
