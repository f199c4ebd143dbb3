// SPDX-License-Identifier: Apache-2.0
// From a kernel key to a __global__ function: a thread runs the algorithm of algo/work_item for its items.
//
//   for block along the third dimension, along the second     a grid has at most 65535 of either
//     item of the thread:  algorithm, epilogue, store
//
// A key is a template argument of these functions as words of 64 bits: nvcc cannot print arrays within template
// arguments, and equal keys of different models share one function.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tkl/algo/mma/conv2d.hpp>
#include <tkl/algo/mma/matmul.hpp>
#include <tkl/algo/mma/product_ring.hpp>
#include <tkl/algo/work_item/sum_parts.hpp>
#include <tkl/config.hpp>
#include <tkl/exec/cuda_tile_launch.hpp>
#include <tkl/exec/work_items.hpp>
#include <tkl/expr/code.hpp>
#include <tkl/schedule/mma.hpp>
#include <tkl/schedule/ring.hpp>
#include <tkl/target/cuda_machine.cuh>
#include <tkl/target/cuda_ring_machine.cuh>
#include <tkl/target/cuda_tensor_machine.cuh>
#include <type_traits>
#include <utility>

namespace tkl {

/// Threads of a block of any kernel.
inline constexpr int cuda_block_threads = 128;
/// Threads that share a row.
inline constexpr int cuda_team = 32;

/// Whether the threads of a warp share the items of a kernel.
constexpr bool shares_items(const kernel_key& k) {
  return k.algorithm == algorithm::softmax || k.algorithm == algorithm::layer_norm ||
         (k.algorithm == algorithm::reduce && (k.variant[1] & 8) != 0 && !stores_indices(k));
}

inline constexpr std::size_t key_words = (sizeof(kernel_key) + 7) / 8;
using packed_key = std::array<std::uint64_t, key_words>;
constexpr packed_key pack_key(const kernel_key& k) {
  std::array<unsigned char, 8 * key_words> bytes{};
  const auto from = std::bit_cast<std::array<unsigned char, sizeof(kernel_key)>>(k);
  for (std::size_t i = 0; i < from.size(); ++i) bytes[i] = from[i];
  return std::bit_cast<packed_key>(bytes);
}
constexpr kernel_key unpack_key(const packed_key& words) {
  const auto from = std::bit_cast<std::array<unsigned char, 8 * key_words>>(words);
  std::array<unsigned char, sizeof(kernel_key)> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = from[i];
  return std::bit_cast<kernel_key>(bytes);
}

TKL_ISA_BEGIN

/// The epilogue that a code describes, for cuda_machine.
template <expr_code Code, class Out>
struct cuda_epilogue {
  using node = decltype(bind<Code>(operand_values{}));
  static constexpr bool copies = tkl::copies<node, Out>;
  template <class L>
  TKL_FN static typename L::value call(const operand_values& operands, const L& leaf) {
    return eval(bind<Code>(operands), leaf);
  }
  TKL_FN static auto source(const operand_values& operands, const position& at) {
    return source_of(bind<Code>(operands), at);
  }
};

/// The prologue that a code describes.
template <expr_code Code>
struct cuda_prologue {
  template <class L>
  TKL_FN static typename L::value call(const operand_values& operands, const L& leaf) {
    return eval(bind<Code>(operands), leaf);
  }
};

/// Calls body(machine) for each item of this thread.
template <class M, class F>
TKL_FN void for_items(const cuda_arguments& a, F body) {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
  constexpr bool shared = M::team > 1;
  const auto thread = static_cast<std::int32_t>(shared ? threadIdx.x : 0);
  const auto item = [&](unsigned block, unsigned threads, unsigned own) {
    return static_cast<std::int32_t>(block * threads + own);
  };
  for (unsigned z = blockIdx.z; z < a.blocks[2]; z += gridDim.z)
    for (unsigned y = blockIdx.y; y < a.blocks[1]; y += gridDim.y) {
      M m = shared ? M(a, item(blockIdx.x, blockDim.y, threadIdx.y), item(y, blockDim.z, threadIdx.z),
                       static_cast<std::int32_t>(z), thread)
                   : M(a, item(blockIdx.x, blockDim.x, threadIdx.x), item(y, blockDim.y, threadIdx.y),
                       item(z, blockDim.z, threadIdx.z), 0);
      body(m);
    }
#endif
}

template <std::uint64_t... Words>
struct cuda_items_of_key {
  static constexpr kernel_key key = unpack_key({Words...});
  using out = storage_t<key.out>;
  using machine = cuda_machine<storage_t<key.in>, out, cuda_epilogue<key.epilogue, out>, stores_apart(key),
                               shares_items(key) ? cuda_team : 1, storage_t<key.weights>, cuda_prologue<key.prologue>>;
};

template <class Arch, std::uint64_t... Words>
__global__ void __launch_bounds__(cuda_block_threads) cuda_items(const __grid_constant__ cuda_arguments a) {
  using items = cuda_items_of_key<Words...>;
  for_items<typename items::machine>(a, [](typename items::machine& m) { impl::run_item<items::key, Arch::items>(m); });
}

/// Adds the parts of a step whose depth was cut.
template <class Arch, std::uint64_t... Words>
__global__ void __launch_bounds__(cuda_block_threads) cuda_sums(const __grid_constant__ cuda_arguments a) {
  using out = typename cuda_items_of_key<Words...>::out;
  using machine = cuda_machine<float, out, cuda_epilogue<cuda_items_of_key<Words...>::key.epilogue, out>>;
  for_items<machine>(a, [](machine& m) { sum_parts_item(m); });
}

/// Compiled to code for capability 8.0 and later; a device that runs other code of the program stops with an error
/// here.
template <class Arch, cuda_product P, std::uint64_t... Words>
__global__ void __launch_bounds__(Arch::tiles.threads()) cuda_tiles(const __grid_constant__ cuda_arguments a) {
#if __CUDA_ARCH__ >= 800 || !defined(__CUDACC__)
  using items = cuda_items_of_key<Words...>;
  using out = typename items::out;
  cuda_tensor_machine<P, storage_t<items::key.in>, out, cuda_epilogue<items::key.epilogue, out>> m(
      a, static_cast<std::int32_t>(threadIdx.x), static_cast<std::int32_t>(blockIdx.x),
      static_cast<std::int32_t>(blockIdx.y), static_cast<std::int32_t>(blockIdx.z));
  if constexpr (items::key.algorithm == algorithm::matmul) {
    matmul_tile<Arch::tiles, items::key.variant[0] != 0, items::key.variant[1] == 0>(m);
  } else {
    conv2d_tile<Arch::tiles>(m);
  }
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// The same for arch=sm_90a alone.
template <class Arch, std::uint64_t... Words>
__global__ void __launch_bounds__(Arch::ring.threads()) cuda_ring(const __grid_constant__ cuda_ring_arguments a) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDACC__)
  using items = cuda_items_of_key<Words...>;
  using out = typename items::out;
  cuda_ring_machine<Arch::ring.columns_bytes(), storage_t<items::key.in>, out, cuda_epilogue<items::key.epilogue, out>>
      m(a, static_cast<std::int32_t>(threadIdx.x), static_cast<std::int32_t>(blockIdx.x),
        static_cast<std::int32_t>(blockIdx.y), static_cast<std::int32_t>(blockIdx.z));
  product_ring<Arch::ring>(m);
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// A kernel as the host sees it, and where there are, the kernels that run the same in tensor cores for steps that suit
/// them: with the step's output, or with the sums of parts of the depth, which `sums` adds.
struct cuda_kernel {
  std::string_view name{};
  void (*function)(cuda_arguments) = nullptr;
  void (*tiles)(cuda_arguments) = nullptr;
  void (*tile_parts)(cuda_arguments) = nullptr;
  void (*ring)(cuda_ring_arguments) = nullptr;
  void (*ring_parts)(cuda_ring_arguments) = nullptr;
  void (*sums)(cuda_arguments) = nullptr;
  mma_schedule tile_schedule{};
  tkl::ring_schedule ring_schedule{};
  int vector = 0;  // elements of 16 bytes of the input
  cuda_tile_launches (*launches)(const step&, const kernel_key&, const edge*) = nullptr;
  int shared_bytes() const { return tile_schedule.shared_bytes(vector); }
};

/// The key of a kernel that leaves the sums of parts of the depth in f32.
constexpr kernel_key key_of_parts(kernel_key k) {
  k.out = element::f32;
  k.epilogue = {};
  return k;
}

/// `Parts`: some step with this key cuts its depth.
template <kernel_key K, class Arch, cuda_product P, bool Parts>
cuda_kernel cuda_kernel_of() {
  using plan = cuda_tile_plan<Arch, P>;
  return []<std::size_t... Word>(std::index_sequence<Word...>) {
    constexpr packed_key words = pack_key(K);
    [[maybe_unused]] constexpr packed_key parts = pack_key(key_of_parts(K));
    cuda_kernel k{name_of(K.algorithm), &cuda_items<Arch, words[Word]...>};
    if constexpr (multiplies_matrices(K, P)) {
      k.tiles = &cuda_tiles<Arch, P, words[Word]...>;
      k.tile_schedule = Arch::tiles;
      k.vector = static_cast<int>(16 / size_of(K.in));
      k.launches = &plan::of;
      if constexpr (Parts) {
        k.tile_parts = &cuda_tiles<Arch, P, parts[Word]...>;
        k.sums = &cuda_sums<Arch, words[Word]...>;
      }
    }
    if constexpr (plan::has_ring && suits_warpgroups(K, P)) {
      k.ring = &cuda_ring<Arch, words[Word]...>;
      k.ring_schedule = Arch::ring;
      if constexpr (Parts) k.ring_parts = &cuda_ring<Arch, parts[Word]...>;
    }
    return k;
  }
  (std::make_index_sequence<key_words>{});
}

TKL_ISA_END
}  // namespace tkl
