// SPDX-License-Identifier: Apache-2.0
// Whether a target runs a model: supports<Model, Target>, and a compile error that names every step that it does not
// run.
#pragma once

#include <cstddef>
#include <string_view>
#include <tkl/graph/compiled_plan.hpp>

namespace tkl {

TKL_ISA_BEGIN
namespace impl {

/// Counts the characters of a text that is written to it.
struct text_length {
  std::size_t size = 0;
  constexpr text_length& operator<<(std::string_view s) { return size += s.size(), *this; }
  constexpr text_length& operator<<(int v) {
    const text<12> digits = text<12>() << v;
    return *this << digits.view();
  }
  constexpr bool empty() const { return size == 0; }
};

/// The steps of a model that a target has no kernel for, one per line with the reason; or the mistake of the graph.
template <class Model, class Target>
struct target_support {
  using compiled = compiled_plan<Model, Target>;
  template <class Text>
  static constexpr Text reasons() {
    Text t;
    if constexpr (!compiled::first.mistake.empty()) {
      t << compiled::first.mistake.view();
    } else if constexpr (requires(const step& s, const kernel_key& k) { Target::unsupported(s, k, nullptr); }) {
      for (int i = 0; i < compiled::first.counts.steps; ++i) {
        const step& s = compiled::plan.steps[static_cast<std::size_t>(i)];
        const kernel_key& k = compiled::keys[static_cast<std::size_t>(s.kernel)];
        const std::string_view reason = Target::unsupported(s, k, compiled::plan.edges.data());
        if (reason.empty()) continue;
        t << (t.empty() ? "" : "; ") << name_of(k.algorithm);
        if (s.name >= 0) {
          t << " '" << std::string_view(compiled::names.data() + s.name) << "'";
        } else {
          t << " of step " << i;
        }
        t << ": " << reason;
      }
    }
    return t;
  }
  static constexpr std::size_t length = reasons<text_length>().size;
  static constexpr auto mistake = reasons<text<length == 0 ? 1 : length>>();  // all of them, however many
  static constexpr bool sound = mistake.empty();
};

}  // namespace impl

/// Whether Target has kernels for all steps of Model. A mistake in the graph itself gives false, too.
template <class Model, class Target>
inline constexpr bool supports = impl::target_support<Model, Target>::sound;

/// `static_assert(checked_support<Model, Target>::sound);` fails with the list of all steps that Target does not run.
template <class Model, class Target>
struct checked_support {
  static constexpr bool sound = no_mistake<impl::target_support<Model, Target>>::value;
};

TKL_ISA_END
}  // namespace tkl
