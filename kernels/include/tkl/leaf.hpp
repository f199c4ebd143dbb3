// SPDX-License-Identifier: Apache-2.0
// Loops of run-time length over numbers of reduced precision (link tkl::leaf): one implementation over Highway,
// compiled for every processor that Highway knows and chosen when it is first called. Pointers need no more alignment
// than their elements; ranges of an input and an output do not overlap; n = 0 does nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <tkl/core/element.hpp>
#include <tkl/exec/number_converter.hpp>

namespace tkl::leaf {

/// Exactly; infinities, NaN payloads and subnormals are kept.
void widen(const half* from, float* to, std::int64_t n);
void widen(const bfloat16* from, float* to, std::int64_t n);

/// To the nearest, ties to even, with the bits of to_half and to_bfloat16: overflow gives infinity, subnormals are
/// kept, NaN stays NaN.
void narrow(const float* from, half* to, std::int64_t n);
void narrow(const float* from, bfloat16* to, std::int64_t n);

/// scale * (from - zero_point): an exact difference and one rounding. |zero_point| at most 2^23.
void dequantise(const std::uint8_t* from, float* to, std::int64_t n, float scale, std::int32_t zero_point);
void dequantise(const std::int8_t* from, float* to, std::int64_t n, float scale, std::int32_t zero_point);

/// Sum of products, exact: no step saturates or wraps.
std::int64_t dot(const std::int8_t* a, const std::int8_t* b, std::int64_t n);
/// Sum of products in f32, in an order that depends on the processor.
float dot(const bfloat16* a, const bfloat16* b, std::int64_t n);
/// Sum in f32, in an order that depends on the processor.
float sum(const float* x, std::int64_t n);

/// widen and narrow for the loading of weights: net::load(path, {.converter = &tkl::leaf::converter()}). Its name is
/// "Highway " and that of the implementation.
const number_converter& converter();

/// The implementation that runs here, by Highway's name: "AVX2", "SSE4", ...
std::string_view target();

/// Calls f(name, runs) for each implementation that is built in; where the processor runs it, with that one in use. For
/// tests, while no other thread calls a function of this file.
void for_each_target(void (*f)(std::string_view name, bool runs));

}  // namespace tkl::leaf
