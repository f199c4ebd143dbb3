// expect: the flags of this target raise the level of every unit: tkl_add_model sets them
// SPDX-License-Identifier: Apache-2.0
// A unit that shall be a model's level avx2, compiled without the flags of that level.
// What would run under that name is another level: the unit does not enter the table of levels.
#define TKL_LEVEL_NAME "avx2"
#define TKL_LEVEL_SYMBOL model_avx2
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>

struct model {
  static constexpr tkl::value build(tkl::graph& g) { return tkl::relu(g.input("x", tkl::f32, {4})); }
};

TKL_C_MODEL("model", tkl::compile<model, tkl::cpu<>>)
