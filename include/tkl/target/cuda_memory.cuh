// SPDX-License-Identifier: Apache-2.0
// Loads and stores of a CUDA thread: one element, or up to four neighbouring ones, of any storage type.
//
// Two or four elements move by one instruction where the address allows it: the address itself decides, since slices
// and rows of odd length begin anywhere. Conversions are those of target/convert.hpp.
#pragma once

#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/target/convert.hpp>
#include <tkl/target/cuda_ptx.cuh>
#include <tkl/target/cuda_value.cuh>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN

/// Elements of type T behind untyped addresses.
template <class T>
struct cuda_memory {
  /// Neighbouring elements as one word of memory.
  template <int N>
  struct alignas(N * sizeof(T)) group {
    T element[N];
  };

  TKL_FN static float load(const void* base, std::int32_t i) { return number_of(static_cast<const T*>(base)[i]); }

  /// The first `lanes` of N elements from i on, zeros behind them; `lanes` may be more than N.
  template <int N>
  TKL_FN static cuda_value<N> load(const void* base, std::int32_t i, std::int32_t lanes) {
    const T* p = static_cast<const T*>(base) + i;
    cuda_value<N> v;
    if constexpr (N > 1) {
      if (lanes >= N && aligned<N>(p)) {
        const auto q = *reinterpret_cast<const group<N>*>(p);
        TKL_UNROLL
        for (int l = 0; l < N; ++l) v.lane[l] = number_of(q.element[l]);
        return v;
      }
    }
    TKL_UNROLL
    for (int l = 0; l < N; ++l) v.lane[l] = l < lanes ? number_of(p[l]) : 0.0f;
    return v;
  }

  /// The same where elements are `step` apart.
  template <int N>
  TKL_FN static cuda_value<N> load_apart(const void* base, std::int32_t i, std::int32_t step, std::int32_t lanes) {
    return impl::each<N>([&](int l) { return l < lanes ? load(base, i + l * step) : 0.0f; });
  }

  /// Stores the first `lanes` of N elements, `step` apart.
  template <int N>
  TKL_FN static void store(void* base, std::int32_t i, std::int32_t step, const cuda_value<N>& v, std::int32_t lanes) {
    T* p = static_cast<T*>(base) + i;
    if constexpr (N > 1) {
      if (lanes >= N && step == 1 && aligned<N>(p)) {
        group<N> q;
        TKL_UNROLL
        for (int l = 0; l < N; ++l) q.element[l] = stored(v.lane[l]);
        *reinterpret_cast<group<N>*>(p) = q;
        return;
      }
    }
    TKL_UNROLL
    for (int l = 0; l < N; ++l)
      if (l < lanes) p[l * step] = stored(v.lane[l]);
  }

 private:
  TKL_FN static float number_of(T v) {
    if constexpr (std::is_same_v<T, half>) {
      return ptx::widen_f16(v);
    } else {
      return widen<float>(v);
    }
  }
  TKL_FN static T stored(float v) {
    if constexpr (std::is_same_v<T, half>) {
      return ptx::narrow_f16(v);
    } else {
      return narrow<T>(v);
    }
  }
  template <int N>
  TKL_FN static bool aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(group<N>) == 0;
  }
};

TKL_ISA_END
}  // namespace tkl
