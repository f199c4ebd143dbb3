// SPDX-License-Identifier: Apache-2.0
// Steps of a plan as calls of the spatial algorithms.
#pragma once

#include <cstdint>
#include <tkl/algo/pad.hpp>
#include <tkl/algo/pool2d.hpp>
#include <tkl/algo/resize2d.hpp>
#include <tkl/exec/kernel.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <>
struct kernel<algorithm::pool2d> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    pool2d_problem<in, out> p;
    p.x = strided_view<const in>(c, s.in[0]);
    p.y = strided_view<out>(c, s.out);
    const step_parameters& a = s.parameters;
    for (int i = 0; i < 2; ++i) p.kernel[i] = a.kernel[i], p.stride[i] = a.stride[i], p.dilation[i] = a.dilation[i];
    for (int i = 0; i < 4; ++i) p.pad[i] = a.pad[i];
    p.include_pad = a.include_pad;
    pool2d<static_cast<pool_kind>(K.variant[0]), M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

template <>
struct kernel<algorithm::resize2d> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    const resize2d_problem<in, out> p{strided_view<const in>(c, s.in[0]),
                                      strided_view<out>(c, s.out),
                                      {s.parameters.real[0], s.parameters.real[1]},
                                      static_cast<coordinate_kind>(s.parameters.coordinates),
                                      static_cast<rounding_kind>(s.parameters.rounding)};
    resize2d<static_cast<resize_kind>(K.variant[0]), M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

template <>
struct kernel<algorithm::pad> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    pad_problem<in, out> p{strided_view<const in>(c, s.in[0]), strided_view<out>(c, s.out)};
    for (int i = 0; i < 4; ++i) p.before[i] = s.parameters.pad[i];
    p.fill = s.parameters.real[0];
    pad<M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

TKL_ISA_END
}  // namespace tkl
