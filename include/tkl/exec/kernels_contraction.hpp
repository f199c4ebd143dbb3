// SPDX-License-Identifier: Apache-2.0
// Steps of a plan as calls of the contractions: convolutions and matrix products.
#pragma once

#include <cstdint>
#include <tkl/algo/conv2d.hpp>
#include <tkl/algo/conv2d_staged.hpp>
#include <tkl/algo/conv_transpose2d.hpp>
#include <tkl/algo/depthwise.hpp>
#include <tkl/algo/matmul.hpp>
#include <tkl/algo/winograd.hpp>
#include <tkl/exec/kernel.hpp>

namespace tkl {

constexpr conv2d_geometry geometry_of(const step_parameters& p) {
  conv2d_geometry g;
  for (int i = 0; i < 2; ++i)
    g.kernel[i] = p.kernel[i], g.stride[i] = p.stride[i], g.dilation[i] = p.dilation[i], g.pad[i] = p.pad[i];
  g.groups = p.groups;
  return g;
}

TKL_ISA_BEGIN

template <>
struct kernel<algorithm::conv2d> {
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* e) {
    return conv2d_scratch_bytes(Arch::conv, geometry_of(s.parameters), strided_shape_of(e[s.in[0]]),
                                strided_shape_of(e[s.out]), static_cast<std::int64_t>(size_of(e[s.in[0]].type)));
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = const storage_t<K.in>;
    using out = storage_t<K.out>;
    using weight = storage_t<K.weights>;
    const conv2d_problem<std::remove_const_t<in>, weight, out> p{
        strided_view<in>(c, s.in[0]), c.template data<const weight>(s.weight), strided_view<out>(c, s.out),
        geometry_of(s.parameters)};
    conv2d<Arch::conv, M>(p, epilogue_of<K>(s, c), c.executor, c.scratch(s));
  }
};

template <>
struct kernel<algorithm::conv2d_staged> {
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* e) {
    return conv2d_staged_scratch_bytes(Arch::conv, geometry_of(s.parameters), strided_shape_of(e[s.in[0]]),
                                       strided_shape_of(e[s.out]), sizeof(typename M::scalar));
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    using weight = storage_t<K.weights>;
    conv2d_staged_problem<in, weight, out> p;
    p.x = strided_view<const in>(c, s.in[0]);
    p.inner = c.edges[s.in[0]].extent[3] == 1 ? 1 : c.edges[s.in[0]].stride[3];
    p.weights = c.template data<const weight>(s.weight);
    p.y = strided_view<out>(c, s.out);
    p.geometry = geometry_of(s.parameters);
    conv2d_staged<Arch::conv, M>(p, prologue_of<K>(s, c), epilogue_of<K>(s, c), c.executor, c.scratch(s));
  }
};

template <>
struct kernel<algorithm::conv_transpose2d> {
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* e) {
    return conv_transpose2d_scratch_bytes(Arch::conv, geometry_of(s.parameters), strided_shape_of(e[s.in[0]]),
                                          strided_shape_of(e[s.out]),
                                          static_cast<std::int64_t>(size_of(e[s.in[0]].type)));
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    using weight = storage_t<K.weights>;
    const conv_transpose2d_problem<in, weight, out> p{strided_view<const in>(c, s.in[0]),
                                                      c.template data<const weight>(s.weight),
                                                      strided_view<out>(c, s.out), geometry_of(s.parameters)};
    conv_transpose2d<Arch::conv, M>(p, epilogue_of<K>(s, c), c.executor, c.scratch(s));
  }
};

template <>
struct kernel<algorithm::matmul> {
  /// Whether the columns of an operand are apart in memory, so that its rows are consecutive: it lies transposed.
  static constexpr bool transposed(const edge& e) { return e.extent[3] != 1 && e.stride[3] != 1; }
  /// The operand as it lies in memory.
  static constexpr strided_shape in_memory(const edge& e) {
    strided_shape s = strided_shape_of(e);
    if (transposed(e)) s.extent[2] = e.extent[3], s.extent[3] = e.extent[2], s.stride[2] = e.stride[3];
    return s;
  }
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* e) {
    const edge &a = e[s.in[0]], &b = e[s.in[1]];
    return matmul_scratch_bytes(Arch::gemm, Arch::width_f32, a.extent[3], {transposed(a), transposed(b)},
                                sizeof(typename M::scalar));
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    using second = storage_t<K.weights == element::f32 ? K.in : K.weights>;
    const edge &a = c.edges[s.in[0]], &b = c.edges[s.in[1]];
    const matmul_problem<in, second, out> p{{c.template data<const in>(s.in[0]), in_memory(a)},
                                            {c.template data<const second>(s.in[1]), in_memory(b)},
                                            strided_view<out>(c, s.out),
                                            {transposed(a), transposed(b)}};
    matmul<Arch::gemm, M>(p, epilogue_of<K>(s, c), c.executor, c.scratch(s));
  }
};

template <>
struct kernel<algorithm::depthwise> : no_scratch {
  /// The default for the filter; an architecture that states a group (tuned_arch) decides both numbers.
  template <kernel_key K, class Arch>
  static constexpr depthwise_schedule schedule_of() {
    depthwise_schedule s = depthwise_schedule_for(K.variant[0], K.variant[1], K.variant[2], 1, 1, Arch::depthwise_tile);
    if constexpr (requires { Arch::depthwise_group; }) s.tile = Arch::depthwise_tile, s.group = Arch::depthwise_group;
    return s;
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    using weight = storage_t<K.weights>;
    depthwise_problem<in, weight, out> p;
    p.x = strided_view<const in>(c, s.in[0]);
    p.weights = c.template data<const weight>(s.weight);
    p.y = strided_view<out>(c, s.out);
    for (int i = 0; i < 2; ++i)
      p.kernel[i] = s.parameters.kernel[i], p.stride[i] = s.parameters.stride[i],
      p.dilation[i] = s.parameters.dilation[i], p.pad[i] = s.parameters.pad[i];
    p.multiplier = p.x.shape.extent[3] == 0 ? 1 : p.y.shape.extent[3] / p.x.shape.extent[3];
    depthwise<schedule_of<K, Arch>(), M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

template <>
struct kernel<algorithm::winograd> {
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* e) {
    return winograd_scratch_bytes(Arch::conv, s.parameters.mode, M::width, Arch::cache.l2, strided_shape_of(e[s.in[0]]),
                                  strided_shape_of(e[s.out]), sizeof(typename M::scalar));
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    using weight = storage_t<K.weights>;
    const winograd_problem<in, weight, out> p{strided_view<const in>(c, s.in[0]),
                                              c.template data<const weight>(s.weight),
                                              strided_view<out>(c, s.out),
                                              {s.parameters.pad[0], s.parameters.pad[1]}};
    winograd<K.variant[0], Arch::conv, Arch::cache.l2, M>(p, epilogue_of<K>(s, c), c.executor, c.scratch(s));
  }
};

TKL_ISA_END
}  // namespace tkl
