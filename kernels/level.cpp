// SPDX-License-Identifier: Apache-2.0
// The kernels of the catalogue at one level; the build compiles this file once per level and names the table.
#include <tkl/kernels.hpp>

#include "definitions.hpp"

static_assert(tkl::arch::native::name == TKL_LEVEL_NAME, "the flags of the project raise the level of every unit");

extern "C" {
[[gnu::visibility("hidden")]] extern const tkl::kernels::table TKL_LEVEL_SYMBOL;
constinit const tkl::kernels::table TKL_LEVEL_SYMBOL = tkl::kernels::make_table<tkl::cpu<>>(tkl::kernels::catalogue{});
}
