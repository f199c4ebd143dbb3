// expect: element_of_type<double>
// errors: 2
// SPDX-License-Identifier: Apache-2.0
// An element type that tkl does not have.
// Elements are f32 (float), f16 (tkl::half), bf16 (tkl::bfloat16), i8, u8 and i32. There is no 64-bit element: convert
// the data before it enters a tensor.
#include <tkl/core/element.hpp>

constexpr tkl::element e = tkl::element_of<double>;
