// SPDX-License-Identifier: Apache-2.0
// One model in several shapes that shall share packed weights: what a shape alone would choose otherwise is chosen for
// the largest one.
#pragma once

#include <array>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/conv_choice.hpp>
#include <type_traits>

namespace tkl {
TKL_ISA_BEGIN

namespace impl {

/// A model whose convolutions run by the methods that the same model in shape `Like` would choose.
template <class Model, class Like, class Target>
struct with_methods_of {
  static constexpr void build(graph& g) {
    build_model<Model>(g);
    graph like;
    build_model<Like>(like);
    choose_methods_of(g, like, Target::facts());
  }
};

/// The models of a family in shapes from small to large. Where each shape alone would pack other weights, the largest
/// one decides for all.
template <template <auto> class Model, class Target, auto First, auto... Rest>
struct shape_family {
  static constexpr bool alike =
      ((compile<Model<Rest>, Target>::layout_hash == compile<Model<First>, Target>::layout_hash) && ...);
  template <auto Shape>
  static constexpr auto choose() {
    if constexpr (alike) {
      return std::type_identity<Model<Shape>>{};
    } else {
      constexpr auto largest = std::array{First, Rest...}.back();
      return std::type_identity<with_methods_of<Model<Shape>, Model<largest>, Target>>{};
    }
  }
  template <auto Shape>
  using compiled = compile<typename decltype(choose<Shape>())::type, Target>;
};

}  // namespace impl

TKL_ISA_END
}  // namespace tkl
