// SPDX-License-Identifier: Apache-2.0
// The machine of work items that computes: a CUDA thread runs the algorithms of algo/work_item, values are registers.
//
// A thread has an item of its own, or shares it with the other threads of its warp (Team = 32): then a row is split
// among them and they exchange results by shuffles. Epilogue is a type with
//   copies                    whether the result is one operand, whose bits are copied
//   call(operands, leaf)      the result at the leaf's place
//   source(operands, place)   what is copied
// and Prologue one with call(operands, leaf).
#pragma once

#include <cstdint>
#include <tkl/algo/map_traits.hpp>
#include <tkl/algo/work_item/roles.hpp>
#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/target/cuda_arguments.hpp>
#include <tkl/target/cuda_memory.cuh>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN

/// Leaf policy of expr/eval.hpp for N columns from place (n, h, w, c) on, of which `lanes` exist.
template <int N>
struct cuda_leaf {
  using value = cuda_value<N>;
  value sum;
  std::int32_t n, h, w, c, lanes;

  TKL_FN value accumulator() const { return sum; }
  TKL_FN value literal(float v) const { return math<value>::constant(v); }
  template <class T>
  TKL_FN value scalar(const scalar_node<T>& x) const {
    return math<value>::constant(cuda_memory<T>::load(x.data, 0));
  }
  template <class T>
  TKL_FN value channel(const channel_node<T>& x) const {
    return cuda_memory<T>::template load<N>(x.data, c, lanes);
  }
  template <class T>
  TKL_FN value element(const element_node<T>& x) const {
    return cuda_memory<T>::template load<N>(x.data, row_of(x.stride) + c, lanes);
  }
  template <class T>
  TKL_FN value row(const row_node<T>& x) const {
    return math<value>::constant(cuda_memory<T>::load(x.data, row_of(x.stride)));
  }
  template <class T>
  TKL_FN value strided(const strided_node<T>& x) const {
    const auto inner = static_cast<std::int32_t>(x.inner);
    return cuda_memory<T>::template load_apart<N>(x.data, row_of(x.stride) + c * inner, inner, lanes);
  }
  TKL_FN value index(const index_node& x) const {
    return impl::each<N>([&](int l) {
      return static_cast<float>(x.axis == 0 ? n : x.axis == 1 ? h : x.axis == 2 ? w : c + l);
    });
  }

 private:
  TKL_FN std::int32_t row_of(const std::int64_t (&stride)[3]) const {
    return n * static_cast<std::int32_t>(stride[0]) + h * static_cast<std::int32_t>(stride[1]) +
           w * static_cast<std::int32_t>(stride[2]);
  }
};

/// `In`, `Out`, `Weights`: storage types. `Apart`: the output's columns may be apart. `Prologue`: void where the kernel
/// converts nothing as it loads.
template <class In, class Out, class Epilogue, bool Apart = false, int Team = 1, class Weights = float,
          class Prologue = void>
class cuda_machine {
 public:
  using value = cuda_value<item_width>;
  using one = cuda_value<1>;
  using integer = std::int32_t;
  static constexpr int width = item_width;
  static constexpr int team = Team;
  using place = item_place<cuda_machine>;

  /// `thread`: which of the team.
  TKL_FN cuda_machine(const cuda_arguments& a, integer columns, integer pixels, integer lines, integer thread)
      : a_(a), item_{columns, pixels, lines}, thread_(thread) {}

  // Numbers of the step.
  TKL_FN integer item(int d) const { return item_[d]; }
  TKL_FN integer extent(role r, int axis) const { return tensor(r).extent[axis]; }
  TKL_FN integer stride(role r, int axis) const { return tensor(r).stride[axis]; }
  TKL_FN integer parameter(tkl::parameter p, int i) const {
    const step_parameters& s = a_.parameters;
    switch (p) {
      case tkl::parameter::kernel:
        return s.kernel[i];
      case tkl::parameter::stride:
        return s.stride[i];
      case tkl::parameter::dilation:
        return s.dilation[i];
      case tkl::parameter::pad:
        return s.pad[i];
      case tkl::parameter::groups:
        return s.groups;
      case tkl::parameter::include_pad:
        return s.include_pad ? 1 : 0;
      case tkl::parameter::heads:
        return s.heads;
      case tkl::parameter::reach:
        return s.reach;
    }
    return 0;
  }
  TKL_FN one real(int i) const { return {{a_.parameters.real[i]}}; }
  TKL_FN integer index(int number) const { return number; }
  TKL_FN value constant(float number) const { return math<value>::constant(number); }

  // The team.
  TKL_FN integer team_place() const { return thread_; }
  TKL_FN integer if_leading(integer condition) const { return condition & (thread_ == 0); }
  template <class F>
  TKL_FN void when_leading(F body) const {
    if (thread_ == 0) body();
  }
  template <class P>
  TKL_FN one fold_team(one v) const {
    if constexpr (Team > 1) {
      TKL_UNROLL
      for (int apart = Team / 2; apart > 0; apart /= 2)
        v = P::combine(v, one{{__shfl_xor_sync(0xffffffffu, v.lane[0], apart)}});
    }
    return v;
  }

  // Memory.
  TKL_FN value load(role r, integer i) const { return load(r, i, item_width); }
  TKL_FN value load(role r, integer i, integer lanes) const {
    if (r == role::weights) return cuda_memory<Weights>::template load<item_width>(a_.weights, i, lanes);
    return cuda_memory<In>::template load<item_width>(tensor(r).data, i, lanes);
  }
  TKL_FN one load_one(role r, integer i) const { return {{element_of(r, i)}}; }
  TKL_FN value load_each(role r, const integer (&i)[item_width]) const {
    return impl::each<item_width>([&](int l) { return element_of(r, i[l]); });
  }
  /// Lane l is element first + l of the row that begins at `row`, `fill` where that is outside of [0, extent).
  TKL_FN value load_inside(role r, integer row, integer first, integer extent, const one& fill) const {
    if (first >= 0 && first + item_width <= extent) return load(r, row + first);
    return impl::each<item_width>(
        [&](int l) { return first + l >= 0 && first + l < extent ? element_of(r, row + first + l) : fill.lane[0]; });
  }
  TKL_FN integer table(integer i, int field) const { return a_.tables[3 * i + field]; }
  TKL_FN one table_float(integer i, int field) const { return {{std::bit_cast<float>(table(i, field))}}; }
  TKL_FN void store_index(integer i, integer number) const {
    static_cast<std::int32_t*>(const_cast<void*>(a_.out.data))[i] = number;
  }

  // Lanes.
  TKL_FN value splat(const one& v) const { return math<value>::constant(v.lane[0]); }
  TKL_FN one splat_one(float number) const { return {{number}}; }
  TKL_FN one lane(const value& v, int k) const { return {{v.lane[k]}}; }
  TKL_FN value join_lanes(const value (&v)[item_width], int k) const {
    return impl::each<item_width>([&](int l) { return v[l].lane[k]; });
  }
  TKL_FN value keep_first(const value& v, integer lanes, const value& fill) const {
    return impl::each<item_width>([&](int l) { return l < lanes ? v.lane[l] : fill.lane[l]; });
  }
  template <int N>
  TKL_FN cuda_value<N> select(integer condition, const cuda_value<N>& a, const cuda_value<N>& b) const {
    return impl::each<N>([&](int l) { return condition != 0 ? a.lane[l] : b.lane[l]; });
  }
  TKL_FN one number(integer i) const { return {{static_cast<float>(i)}}; }
  /// Whether v takes the place of the largest element so far: it is larger, or the first NaN.
  TKL_FN integer replaces(const one& v, const one& largest) const {
    const float a = v.lane[0], b = largest.lane[0];
    return b < a || (a != a && b == b);
  }

  // Indices.
  TKL_FN integer least(integer a, integer b) const { return a < b ? a : b; }
  TKL_FN integer most(integer a, integer b) const { return a > b ? a : b; }
  TKL_FN integer choose(integer condition, integer a, integer b) const { return condition != 0 ? a : b; }

  // What changes, and control.
  template <class V>
  TKL_FN V variable(const V& v) const {
    return v;
  }
  template <class V>
  TKL_FN void assign(V& d, const V& v) const {
    d = v;
  }
  TKL_FN void mac(value& d, const value& a, const value& b) const { d = math<value>::fma(a, b, d); }
  template <class F>
  TKL_FN void loop(integer begin, integer end, int step, F body) const {
    for (integer i = begin; i < end; i += step) body(i);
  }
  template <class F>
  TKL_FN void when(integer condition, F body) const {
    if (condition != 0) body();
  }
  template <class F, class G>
  TKL_FN void when(integer condition, F body, G other) const {
    if (condition != 0) {
      body();
    } else {
      other();
    }
  }

  /// The prologue of one loaded element, at its place in the input.
  TKL_FN one converted(const one& v, const place& at) const {
    return Prologue::call(a_.prologue, cuda_leaf<1>{v, at.n, at.h, at.w, at.c, 1});
  }
  /// The epilogue at a place, stored. Columns from `end` on are left alone.
  TKL_FN void finish(const value& v, const place& at, integer end) const { finish_lanes(v, at, end - at.c); }
  TKL_FN void finish(const one& v, const place& at, integer) const { finish_lanes(v, at, 1); }

 protected:
  TKL_FN const cuda_arguments& arguments() const { return a_; }
  template <int N>
  TKL_FN void finish_lanes(const cuda_value<N>& v, const place& at, integer lanes) const {
    const cuda_tensor& y = a_.out;
    const integer step = Apart ? y.stride[3] : 1;
    const integer first = at.n * y.stride[0] + at.h * y.stride[1] + at.w * y.stride[2] + at.c * step;
    void* const out = const_cast<void*>(y.data);
    if constexpr (Epilogue::copies && !std::is_same_v<Out, float>) {
      const auto from = Epilogue::source(a_.operands, position{{at.n, at.h, at.w}, at.c});
      TKL_UNROLL
      for (int l = 0; l < N; ++l)
        if (l < lanes) static_cast<Out*>(out)[first + l * step] = from.data[l * from.inner];
    } else {
      const cuda_leaf<N> leaf{v, at.n, at.h, at.w, at.c, lanes};
      cuda_memory<Out>::template store<N>(out, first, step, Epilogue::call(a_.operands, leaf), lanes);
    }
  }

 private:
  TKL_FN const cuda_tensor& tensor(role r) const {
    return r == role::out      ? a_.out
           : r == role::second ? a_.in[1]
           : r == role::third  ? a_.in[2]
           : r == role::mask   ? a_.in[3]
                               : a_.in[0];
  }
  TKL_FN float element_of(role r, integer i) const {
    return r == role::weights ? cuda_memory<Weights>::load(a_.weights, i) : cuda_memory<In>::load(tensor(r).data, i);
  }
  const cuda_arguments& a_;
  integer item_[3];
  integer thread_;
};

TKL_ISA_END
}  // namespace tkl
