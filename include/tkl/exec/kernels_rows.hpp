// SPDX-License-Identifier: Apache-2.0
// Steps of a plan as calls of the row-wise and element-wise algorithms.
#pragma once

#include <cstdint>
#include <tkl/algo/attention.hpp>
#include <tkl/algo/layer_norm.hpp>
#include <tkl/algo/map.hpp>
#include <tkl/algo/reduce.hpp>
#include <tkl/algo/softmax.hpp>
#include <tkl/exec/kernel.hpp>

namespace tkl {
TKL_ISA_BEGIN

template <>
struct kernel<algorithm::softmax> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    const softmax_problem<in, out> p{strided_view<const in>(c, s.in[0]), strided_view<out>(c, s.out)};
    softmax<row_schedule{}, static_cast<softmax_kind>(K.variant[0]), M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

template <>
struct kernel<algorithm::layer_norm> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    const layer_norm_problem<in, out> p{strided_view<const in>(c, s.in[0]), strided_view<out>(c, s.out),
                                        s.parameters.real[0]};
    layer_norm<row_schedule{}, M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

template <>
struct kernel<algorithm::map> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using out = storage_t<K.out>;
    const edge& e = c.edges[s.out];
    map_problem<out> p{c.template data<out>(s.out)};
    for (int i = 0; i < 4; ++i) p.extent[i] = e.extent[i], p.stride[i] = e.stride[i];
    if (e.extent[3] == 1) p.stride[3] = 1;
    map<M>(p, epilogue_of<K>(s, c), c.executor);
  }
};

template <>
struct kernel<algorithm::reduce> : no_scratch {
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    const reduce_problem<in, out> p{strided_view<const in>(c, s.in[0]), strided_view<out>(c, s.out), s.parameters.axes};
    constexpr auto kind = static_cast<reduce_kind>(K.variant[0]);
    // The key names the axes, so only one of the two loop nests is compiled.
    if constexpr (kind == reduce_kind::argmax) {
      argmax<M>(p, c.executor);
    } else if constexpr ((K.variant[1] & 8) != 0) {
      reduce_columns<row_schedule{}, kind, M>(p, epilogue_of<K>(s, c), c.executor);
    } else {
      reduce_outer<row_schedule{}, kind, M>(p, epilogue_of<K>(s, c), c.executor);
    }
  }
};

template <>
struct kernel<algorithm::attention> {
  template <class Arch, class M>
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* e) {
    return attention_scratch_bytes(Arch::attention, M::width, sizeof(typename M::scalar),
                                   e[s.in[0]].extent[3] / s.parameters.heads,
                                   e[s.in[2]].extent[3] / s.parameters.groups);
  }
  template <kernel_key K, class Arch, class M, class C>
  static void run(const step& s, const C& c) {
    using in = storage_t<K.in>;
    using out = storage_t<K.out>;
    attention_problem<in, out> p{strided_view<const in>(c, s.in[0]), strided_view<const in>(c, s.in[1]),
                                 strided_view<const in>(c, s.in[2]), strided_view<out>(c, s.out)};
    p.heads = s.parameters.heads;
    p.key_heads = s.parameters.groups;
    p.reach = s.parameters.reach;
    p.scale = s.parameters.real[0];
    if constexpr (K.variant[0] != 0) {
      const edge& mask = c.edges[s.in[3]];
      const auto score = acc + strided_node<in>{{},
                                                c.template data<const in>(s.in[3]),
                                                {mask.stride[0], mask.stride[1], mask.stride[3]},
                                                mask.stride[2]};
      attention<Arch::attention, M>(p, score, epilogue_of<K>(s, c), c.executor, c.scratch(s));
    } else {
      attention<Arch::attention, M>(p, acc, epilogue_of<K>(s, c), c.executor, c.scratch(s));
    }
  }
};

TKL_ISA_END
}  // namespace tkl
