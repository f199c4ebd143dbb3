// SPDX-License-Identifier: Apache-2.0
// The memory of an expression's operands and target: missing, misaligned, overlapping. Checked each time before
// anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/strided_overlap.hpp>
#include <tkl/op/expression.hpp>
#include <tkl/op/weights.hpp>
#include <type_traits>

namespace tkl {

/// A tensor's memory without its element type.
struct buffer_place {
  const void* data = nullptr;
  std::int64_t element_bytes = 1;
  std::int64_t offset = 0;  // elements, as in located
  shape extents{};
  axis_steps steps{};
};

namespace detail {

/// "packed for panels of 16 columns in vectors of 8, this schedule on avx2 reads ..." when the two differ.
TKL_TAGGED constexpr complaint need_panels(packed_panels packed, packed_panels read) {
  complaint c;
  if (packed == read) return c;
  return c << "the weight is packed in panels of " << packed.panel << " columns in vectors of " << packed.width
           << ", this schedule and architecture read panels of " << read.panel << " in vectors of " << read.width
           << ": pack it for them";
}

TKL_TAGGED constexpr complaint need_contiguous(std::string_view name, const shape& s, const axis_steps& steps) {
  complaint c;
  const axis_steps without_gaps = packed_steps(s);
  for (int i = 0; i < s.rank; ++i)
    if (s[i] > 1 && steps[i] != without_gaps[i] && c.empty())
      c << name << ' ' << s << " is not in row-major order without gaps: axis " << i << " steps by " << steps[i]
        << " elements, not " << without_gaps[i];
  return c;
}

/// "8, 1": the step of each axis.
TKL_TAGGED constexpr text<72> steps_text(const shape& extents, const axis_steps& steps) {
  text<72> t;
  for (int i = 0; i < extents.rank; ++i) t << (i == 0 ? "" : ", ") << steps[i];
  return t;
}

}  // namespace detail

TKL_ISA_BEGIN
namespace impl {

template <class T>
buffer_place place_of(const located<T>& l) {
  return {l.data, sizeof(T), l.offset, l.extents, l.steps};
}
template <packed_kind Kind, class L, class P, packed_panels Panels>
buffer_place place_of(const packed_view<Kind, L, P, Panels>& w) {
  return {w.data, sizeof(float), 0, shape(w.elements), packed_steps(shape(w.elements))};
}

/// Bytes [begin, end) between which a buffer's elements lie; none when it has no element.
struct memory_range {
  std::int64_t begin = 0, end = 0;
  bool valid = true;  // false: they reach beyond what an address can say
};
inline memory_range range_of(const buffer_place& b) {
  if (b.extents.elements().value == 0) return {};
  const tkl::detail::element_reach reach = tkl::detail::reach_of(b.extents, b.steps);
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data));
  const checked begin = (checked(b.offset) + reach.low) * b.element_bytes + address;
  const checked end = (checked(b.offset) + reach.high + 1) * b.element_bytes + address;
  return {begin.value, end.value, reach.valid && begin.valid && begin.value >= 0 && end.valid};
}

/// Whether each element of b lies where the element of the same index of a lies.
inline bool same_place(const buffer_place& a, const buffer_place& b) {
  if (a.element_bytes != b.element_bytes || !(a.extents == b.extents)) return false;
  if (range_of(a).begin != range_of(b).begin) return false;
  for (int i = 0; i < a.extents.rank; ++i)
    if (a.extents[i] > 1 && a.steps[i] != b.steps[i]) return false;
  return true;
}

/// Whether an element of a shares a byte with one of b. Both have elements, and valid ranges.
inline bool share_elements(const buffer_place& a, const buffer_place& b) {
  const auto elements = [](const buffer_place& p) -> tkl::detail::strided_elements {
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p.data));
    return {address + p.offset * p.element_bytes, p.element_bytes, p.extents, p.steps};
  };
  return tkl::detail::share_bytes(elements(a), elements(b));
}

/// Checks that a buffer is there, lies at a multiple of `alignment` bytes, and ends within the range of addresses.
TKL_NOINLINE inline status check_buffer(std::string_view op, std::string_view name, const buffer_place& b,
                                        std::int64_t alignment) {
  message_text m;
  const std::int64_t elements = b.extents.elements().value;
  if (elements == 0) return {};
  if (b.data == nullptr)
    return status::failure(m << op << ": " << name << " is null, " << elements << " elements expected");
  const auto past =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data) % static_cast<std::uintptr_t>(alignment));
  if (past != 0)
    return status::failure(m << op << ": " << name << " begins " << past << " bytes past a multiple of " << alignment);
  if (range_of(b).valid) return {};
  return status::failure(m << op << ": " << name << ' ' << b.extents << ", whose axes step by "
                           << tkl::detail::steps_text(b.extents, b.steps).view() << " elements of " << b.element_bytes
                           << " bytes, reaches beyond 64-bit addresses");
}

/// Checks that an operand shares no element with the target; `may_coincide`: unless each lies where it is written.
/// Both passed check_buffer.
TKL_NOINLINE inline status check_overlap(std::string_view op, std::string_view name, const buffer_place& target,
                                         const buffer_place& operand, bool may_coincide) {
  const memory_range y = range_of(target), x = range_of(operand);
  if (y.begin == y.end || x.begin == x.end || x.end <= y.begin || y.end <= x.begin) return {};
  if (may_coincide && same_place(target, operand)) return {};
  if (!share_elements(target, operand)) return {};  // parts of the same rows, every second column ...
  message_text m;
  return status::failure(m << op << ": the target (bytes 0 to " << y.end - y.begin << ") overlaps " << name
                           << " (bytes " << x.begin - y.begin << " to " << x.end - y.begin << " of the same memory)");
}

/// Ends the program with a message: for mistakes in an assign that has no status to return.
[[noreturn]] TKL_NOINLINE inline void stop(const status& s) {
  std::fprintf(stderr, "tkl: %s\n", s.message());
  std::abort();
}

/// What checks of an expression's memory share.
struct memory_check {
  std::string_view op{};
  buffer_place target{};
  status result{};

  void operand(std::string_view name, const buffer_place& b, std::int64_t alignment, bool may_coincide) {
    if (result) result = check_buffer(op, name, b, alignment);
    if (result) result = check_overlap(op, name, target, b, may_coincide);
  }
};

/// Checks the memory of a target and of all operands of an expression.
template <class TC, class E>
status check_memory(const located<TC>& y, const E& e) {
  memory_check check{"assign", place_of(y), {}};
  if constexpr (operation_count<E> == 1) check.op = std::remove_cvref_t<decltype(operation_of(e))>::name;
  check.result = check_buffer(check.op, "the target", check.target, sizeof(TC));
  int number = 0;
  for_each_leaf(e, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (operation<Leaf>) {
      leaf.for_each_input([&]<class X>(std::string_view name, const X& x) {
        if constexpr (is_packed_view<X>) {
          check.operand(name, place_of(x), tensor_alignment, false);
        } else {
          const auto l = locate(x);
          using T = std::remove_const_t<std::remove_pointer_t<decltype(l.data)>>;
          check.operand(name, place_of(l), alignof(T), Leaf::in_place && std::is_same_v<T, TC>);
        }
      });
      if constexpr (requires { leaf.has_c; }) {
        if constexpr (Leaf::has_c) {
          const auto l = locate(leaf.c);
          check.operand("c", place_of(l), alignof(std::remove_pointer_t<decltype(l.data)>),
                        std::is_same_v<std::remove_const_t<std::remove_pointer_t<decltype(l.data)>>, TC>);
        }
      }
    } else if constexpr (tkl::detail::is_operand_leaf<Leaf> || tkl::detail::is_channel_leaf<Leaf>) {
      const auto l = locate(leaf.source);
      using T = std::remove_const_t<std::remove_pointer_t<decltype(l.data)>>;
      text<48> name;
      if constexpr (tkl::detail::is_channel_leaf<Leaf>) {
        name << "the channel operand";
      } else {
        name << "operand " << ++number << " of the element-wise part";
      }
      check.operand(name.view(), place_of(l), alignof(T), std::is_same_v<T, TC>);
    }
  });
  return check.result;
}

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
