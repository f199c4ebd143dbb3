// SPDX-License-Identifier: Apache-2.0
// Conversion between element types. To f16 and bf16: nearest, ties to even. To integers: nearest, ties to even, clamped
// to the type's range before converting; NaN gives 0.
#pragma once

#include <cmath>
#include <tkl/core/element.hpp>
#include <tkl/op/build.hpp>

namespace tkl {

/// x as `type`; x itself when it has that type.
constexpr value cast(value x, element type) {
  if (x.valid() && x->type == type) return x;
  node_builder b("cast", op_kind::cast, {x});
  if (b.silent) return b.none();
  return b.finish(type, x->shape);
}

TKL_ISA_BEGIN

/// The number that storing `v` as `type` keeps.
inline double stored_as(element type, double v) {
  const auto integer = [v](double least, double most) {
    if (v != v) return 0.0;
    const double r = std::nearbyint(v);
    return r < least ? least : r > most ? most : r;
  };
  switch (type) {
    case element::f32:
      return static_cast<double>(static_cast<float>(v));
    case element::f16:
      return static_cast<double>(to_float(to_half(static_cast<float>(v))));
    case element::bf16:
      return static_cast<double>(to_float(to_bfloat16(static_cast<float>(v))));
    case element::i8:
      return integer(-128, 127);
    case element::u8:
      return integer(0, 255);
    case element::i32:
      return integer(-2147483648.0, 2147483647.0);
  }
  return v;
}

TKL_ISA_END
}  // namespace tkl
