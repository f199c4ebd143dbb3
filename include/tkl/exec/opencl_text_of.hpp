// SPDX-License-Identifier: Apache-2.0
// From a kernel key to the text of its kernel: the algorithm of algo/work_item runs on the machine that writes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tkl/exec/opencl_precision.hpp>
#include <tkl/exec/work_items.hpp>
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
  bool half = false;         // it computes in half precision: cl_khr_fp16
  int columns = item_width;  // of an item of an element-wise step
};

/// The kernel whose text and arguments are `w`, which must outlive it.
constexpr opencl_kernel kernel_of(algorithm a, const kernel_writer& w) {
  return {name_of(a), w.source.view(), w.argument, w.arguments, w.half, w.columns};
}

/// Columns that an item of an element-wise step computes.
constexpr int columns_of(const kernel_key& k, const work_item_schedule& s, opencl_precision p) {
  return p == opencl_precision::half && maps_in_half(k) && !stores_apart(k) ? s.half_vector : item_width;
}

TKL_ISA_BEGIN

/// Writes the kernel of a key: prologue and epilogue as functions, then the body.
template <kernel_key K, work_item_schedule S, opencl_precision P>
constexpr kernel_writer write_kernel() {
  kernel_writer w;
  w.half = P == opencl_precision::half && maps_in_half(K);
  w.columns = columns_of(K, S, P);
  if constexpr (K.algorithm == algorithm::conv2d_staged)
    opencl_epilogue(w, K.out, role::prologue).write_prologue(bind<K.prologue>(slot_names{}));
  if constexpr (!stores_indices(K)) {
    const auto epilogue = bind<K.epilogue>(slot_names{});
    opencl_epilogue(w, K.out).write(epilogue, copies<std::remove_const_t<decltype(epilogue)>, storage_t<K.out>>,
                                    stores_apart(K));
  }
  w << "__kernel void " << name_of(K.algorithm) << "(PARAMETERS) {\n";
  w.half = computes_in_half(K, P);
  opencl_machine m(w, K.in, K.out, K.weights);
  impl::run_item<K, S>(m);
  w << "}\n";
  return w;
}

/// The kernel of a key, written by the compiler into an array of exact size.
template <kernel_key K, work_item_schedule S, opencl_precision P>
struct opencl_text {
  static constexpr kernel_writer written = write_kernel<K, S, P>();
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
    return {name_of(K.algorithm), {source.data(), source.size()},
            argument.data(),      static_cast<int>(argument.size()),
            written.half,         written.columns};
  }
};

/// The same, written when it is first asked for: the program starts later and compiles faster.
template <kernel_key K, work_item_schedule S, opencl_precision P>
struct opencl_text_at_start {
  static opencl_kernel kernel() {
    static const kernel_writer written = write_kernel<K, S, P>();
    return kernel_of(K.algorithm, written);
  }
};

TKL_ISA_END
}  // namespace tkl
