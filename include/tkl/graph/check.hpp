// SPDX-License-Identifier: Apache-2.0
// Building a model's graph at compile time, and showing its first mistake as the compile error.
//
// A model is a type with `static constexpr ... build(tkl::graph&)`, which returns its output, an array of its outputs,
// or nothing when it declared them by graph::output.
//
// The message must reach the compiler's output with its numbers. Where static_assert takes a computed text (C++26),
// that is used. g++ prints a text that is a template argument; clang prints it letter by letter.
#pragma once

#include <cstddef>
#include <tkl/core/text.hpp>
#include <tkl/graph/graph.hpp>
#include <type_traits>
#include <utility>

namespace tkl {

namespace detail {

constexpr void declare_output(graph& g, value v, std::size_t declared) {
  if (v.owner != nullptr && v.owner != &g) {
    g.fail(text<240>("the model returns a value of another graph"));
  } else if (!v.valid()) {
    g.fail(text<240>("the model returns an empty value"));  // kept only when no earlier mistake explains it
  } else {
    for (std::size_t i = 0; i < declared; ++i)
      if (g.outputs[i].node == v.id) return;
    g.output(v);
  }
}

}  // namespace detail

/// Runs Model::build on `g` and declares what it returns as outputs (unless they are). Mistakes are left in g.error.
template <class Model>
constexpr void build_model(graph& g) {
  using returned = decltype(Model::build(g));
  if constexpr (std::is_void_v<returned>) {
    Model::build(g);
  } else if constexpr (std::is_same_v<std::remove_cvref_t<returned>, value>) {
    const value v = Model::build(g);
    detail::declare_output(g, v, g.outputs.size());
  } else {
    const auto& all = Model::build(g);
    const std::size_t declared = g.outputs.size();
    for (const value& v : all) detail::declare_output(g, v, declared);
  }
  if (g.outputs.empty()) g.fail(text<240>("the model has no output"));
}

/// The first mistake in Model's graph; empty when there is none.
template <class Model>
constexpr text<240> mistake_of() {
  graph g;
  build_model<Model>(g);
  return g.error;
}

#if defined(__clang__)
/// Never defined: its name in the compiler's output is the message.
template <char... Message>
struct model_error;
#else
/// Never defined: its name in the compiler's output is the message.
template <fixed_text Message>
struct model_error;
#endif

/// A compile error that shows Holder::mistake, unless that is empty. Holder is any type with a static constexpr text of
/// that name.
template <class Holder, bool Sound = Holder::mistake.empty()>
struct no_mistake {
  static constexpr bool value = true;
};

template <class Holder>
struct no_mistake<Holder, false> {
#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
  struct shown {
    static constexpr const char* data() { return Holder::mistake.chars; }
    static constexpr std::size_t size() { return Holder::mistake.size; }
  };
  static_assert(Holder::mistake.empty(), shown{});
#elif defined(__clang__)
  template <std::size_t... Index>
  static auto spell(std::index_sequence<Index...>) -> model_error<Holder::mistake.chars[Index]...>;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): asks for the size of a type that has none
  static_assert(sizeof(decltype(spell(std::make_index_sequence<Holder::mistake.size>{}))) > 0);
#else
  static constexpr auto message = [] {
    fixed_text<Holder::mistake.size + 1> t;
    for (std::size_t i = 0; i < Holder::mistake.size; ++i) t.chars[i] = Holder::mistake.chars[i];
    return t;
  }();
  static_assert(sizeof(model_error<message>) > 0);
#endif
  static constexpr bool value = true;  // this class is the error; an assertion of its value adds no second one
};

/// Model's graph, checked: `static_assert(checked_model<my_model>::sound);` fails with the mistake's text.
template <class Model>
struct checked_model {
  static constexpr text<240> mistake = mistake_of<Model>();
  static constexpr bool sound = no_mistake<checked_model>::value;
};

}  // namespace tkl
