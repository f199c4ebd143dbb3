// SPDX-License-Identifier: Apache-2.0
// The caller's buffers of one run: what may be passed, and what is checked before the first step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tkl/config.hpp>
#include <tkl/core/element.hpp>
#include <tkl/core/status.hpp>
#include <tkl/graph/plan.hpp>
#include <type_traits>

namespace tkl {

/// A buffer as an argument: a typed pointer, or anything with data() and size().
struct buffer_argument {
  const void* data = nullptr;
  element type = element::f32;
  std::int64_t elements = -1;  // -1: the caller did not say
  bool writable = false;

  template <class P>
  requires std::is_pointer_v<std::remove_cvref_t<P>>
  constexpr buffer_argument(P&& p)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : data(p),
        type(element_of<std::remove_const_t<std::remove_pointer_t<std::remove_cvref_t<P>>>>),
        writable(!std::is_const_v<std::remove_pointer_t<std::remove_cvref_t<P>>>) {}
  template <class T, std::size_t N>
  constexpr buffer_argument(T (&array)[N])  // NOLINT(google-explicit-constructor)
      : data(array),
        type(element_of<std::remove_const_t<T>>),
        elements(static_cast<std::int64_t>(N)),
        writable(!std::is_const_v<T>) {}
  template <class C>
  requires requires(C& c) {
    c.data();
    c.size();
  }
  constexpr buffer_argument(C&& c)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : data(c.data()),
        type(element_of<std::remove_cvref_t<decltype(*c.data())>>),
        elements(static_cast<std::int64_t>(c.size())),
        writable(!std::is_const_v<std::remove_pointer_t<decltype(c.data())>>) {}
};

namespace detail {

/// Elements of the caller's buffer behind an input or output edge.
constexpr std::int64_t buffer_elements(const edge& e) {
  std::int64_t n = 1;
  for (std::int32_t x : e.extent) n *= x;
  return n;
}

TKL_COLD inline message_text argument_label(const char* kind, const char* names, const edge& e) {
  message_text m;
  m << kind;
  if (e.name >= 0) {
    m << " '" << (names + e.name) << '\'';
  } else {
    m << ' ' << e.index;
  }
  return m;
}

/// Checks an address: not null unless there are no elements, aligned to the element.
TKL_TAGGED TKL_NOINLINE inline status check_address(const char* kind, const char* names, const edge& e, const void* p) {
  const std::int64_t elements = buffer_elements(e);
  if (elements == 0) return {};
  message_text m = argument_label(kind, names, e);
  if (p == nullptr) return status::failure(m << ": null, " << elements << " elements expected");
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) % size_of(e.type));
  if (past != 0)
    return status::failure(m << ": the address is " << past << " bytes past a multiple of " << size_of(e.type));
  return {};
}

/// Checks one buffer against its edge: type, size, constness.
TKL_TAGGED TKL_NOINLINE inline status check_argument(const char* kind, const char* names, const edge& e,
                                                     const buffer_argument& b, bool written) {
  message_text m = argument_label(kind, names, e);
  const std::int64_t elements = buffer_elements(e);
  if (b.type != e.type)
    return status::failure(m << ": elements of type " << name_of(b.type) << ", the model has " << name_of(e.type));
  if (written && !b.writable) return status::failure(m << ": the buffer is constant");
  if (b.elements >= 0 && b.elements != elements)
    return status::failure(m << ": " << b.elements << " elements given, the model has " << elements);
  return {};
}

/// A run of bytes that must not meet another.
struct byte_range {
  std::uintptr_t begin = 0, end = 0;
  constexpr bool meets(const byte_range& o) const { return begin < o.end && o.begin < end; }
};
inline byte_range range_of(const edge& e, const void* p) {
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  return {begin, begin + static_cast<std::uintptr_t>(buffer_elements(e)) * size_of(e.type)};
}

}  // namespace detail

/// Checks that no output overlaps an input, another output, or the workspace.
TKL_TAGGED TKL_NOINLINE inline status check_overlap(const edge* edges, const std::int16_t* inputs, int input_count,
                                                    const std::int16_t* outputs, int output_count, const char* names,
                                                    const void* const* in, void* const* out, const void* workspace,
                                                    std::int64_t workspace_bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(workspace);
  const detail::byte_range arena{begin, begin + static_cast<std::uintptr_t>(workspace_bytes)};
  const auto complain = [&](const edge& e, const message_text& other) {
    message_text m = detail::argument_label("output", names, e);
    return status::failure(m << " overlaps " << other.view());
  };
  for (int i = 0; i < input_count; ++i)
    if (detail::range_of(edges[inputs[i]], in[i]).meets(arena)) {
      message_text m = detail::argument_label("input", names, edges[inputs[i]]);
      return status::failure(m << " overlaps the workspace");
    }
  for (int o = 0; o < output_count; ++o) {
    const edge& e = edges[outputs[o]];
    const detail::byte_range r = detail::range_of(e, out[o]);
    if (r.meets(arena)) return complain(e, message_text("the workspace"));
    for (int i = 0; i < input_count; ++i)
      if (r.meets(detail::range_of(edges[inputs[i]], in[i])))
        return complain(e, detail::argument_label("input", names, edges[inputs[i]]));
    for (int k = 0; k < o; ++k)
      if (r.meets(detail::range_of(edges[outputs[k]], out[k])))
        return complain(e, detail::argument_label("output", names, edges[outputs[k]]));
  }
  return {};
}

}  // namespace tkl
