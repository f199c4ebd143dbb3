// SPDX-License-Identifier: Apache-2.0
// CUDA kernels for keys that no compiler has seen: the machine is the library's, its element types, its epilogue and
// the algorithm are looked up in the key of the step that runs.
#pragma once

#include <cstdint>
#include <tkl/exec/cuda_kernel.cuh>

#include "support/walked.hpp"

namespace tkl_test {

/// The key of the step that runs.
inline tkl::kernel_key& walked_key() {
  static tkl::kernel_key k;
  return k;
}

/// Stands for a storage type that the key names.
template <tkl::role R>
struct walked_element {};

struct walked_epilogue {
  static constexpr bool copies = false;
  template <class L>
  static typename L::value call(const tkl::operand_values& operands, const L& leaf) {
    return walk(walked_key().epilogue, operands, leaf);
  }
};
struct walked_prologue {
  template <class L>
  static typename L::value call(const tkl::operand_values& operands, const L& leaf) {
    return walk(walked_key().prologue, operands, leaf);
  }
};
template <class T>
struct walked_copy : walked_epilogue {
  static constexpr bool copies = true;
  static tkl::copy_source<T> source(const tkl::operand_values& operands, const tkl::position& at) {
    return with_leaf<T>(walked_key().epilogue.at[0].kind(), operands.slot[0],
                        [&](const auto& n) { return tkl::source_of(n, at); });
  }
};

}  // namespace tkl_test

namespace tkl {

template <role R>
struct cuda_memory<tkl_test::walked_element<R>> {
  static float load(const void* base, std::int32_t i) {
    return typed([&](auto m) { return m.load(base, i); });
  }
  template <int N>
  static cuda_value<N> load(const void* base, std::int32_t i, std::int32_t lanes) {
    return typed([&](auto m) { return m.template load<N>(base, i, lanes); });
  }
  template <int N>
  static void store(void* base, std::int32_t i, std::int32_t step, const cuda_value<N>& v, std::int32_t lanes) {
    typed([&](auto m) { return m.template store<N>(base, i, step, v, lanes); });
  }

 private:
  template <class F>
  static auto typed(F f) {
    const kernel_key& k = tkl_test::walked_key();
    const element type = R == role::out ? k.out : R == role::weights ? k.weights : k.in;
    return tkl_test::with_type(type, [&](auto element) { return f(cuda_memory<decltype(element)>{}); });
  }
};

}  // namespace tkl

namespace tkl_test {

template <tkl::work_item_schedule S, bool Apart, int Team>
void walked_items(tkl::cuda_arguments a) {
  using machine = tkl::cuda_machine<walked_element<tkl::role::in>, walked_element<tkl::role::out>, walked_epilogue,
                                    Apart, Team, walked_element<tkl::role::weights>, walked_prologue>;
  tkl::for_items<machine>(a, [](machine& m) { walk_item<S>(walked_key(), m); });
}
template <class T, bool Apart>
void walked_copies(tkl::cuda_arguments a) {
  using machine = tkl::cuda_machine<T, T, walked_copy<T>, Apart>;
  tkl::for_items<machine>(a, [](machine& m) { tkl::map_item(m); });
}

/// The kernel of a key, like cuda_kernel_of<K, Arch>; it runs for the key in walked_key().
template <tkl::work_item_schedule S>
tkl::cuda_kernel walked_kernel(const tkl::kernel_key& k) {
  using function = void (*)(tkl::cuda_arguments);
  const bool apart = tkl::stores_apart(k);
  const auto found = [&]() -> function {
    if (k.algorithm == tkl::algorithm::map && copies_operand(k) && k.out != tkl::f32)
      return with_type(k.out, [&](auto element) -> function {
        using T = decltype(element);
        return apart ? &walked_copies<T, true> : &walked_copies<T, false>;
      });
    return apart                  ? &walked_items<S, true, 1>
           : tkl::shares_items(k) ? &walked_items<S, false, tkl::cuda_team>
                                  : &walked_items<S, false, 1>;
  };
  return {tkl::name_of(k.algorithm), found()};
}

}  // namespace tkl_test
