// SPDX-License-Identifier: Apache-2.0
// The operations of the eager API that the catalogue of kernels/ does not have, with extents known at run time: their
// checks and messages are code of the level, too.
#include <tkl/tkl.hpp>

namespace {

using matrix = tkl::view<float, tkl::row_major<tkl::dyn, tkl::dyn>>;
using images = tkl::view<float, tkl::nhwc<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>>;
using filters = tkl::view<float, tkl::row_major<tkl::dyn, tkl::dyn, tkl::dyn, tkl::dyn>>;
using channels = tkl::view<float, tkl::row_major<tkl::dyn>>;

}  // namespace

/// Each into y; the number of those that did what they were asked to.
extern "C" int TKL_ISA_UNIT(const matrix& a, const images& x, const filters& w, const channels& b, const images& y,
                            const matrix& c) {
  int good = 0;
  const auto see = [&](const tkl::status& s) { good += s.ok(); };
  see(tkl::assign(c, tkl::gemm(a, a, c, {.alpha = 2, .beta = 1})));
  see(tkl::assign(c, tkl::linear(a, a, b)));
  see(tkl::assign(y, tkl::conv_transpose2d(x, w, b, {.stride = 2})));
  see(tkl::assign(y, tkl::attention(x, x, x, tkl::attention_params{})));
  const auto score = tkl::scores::causal(tkl::scores::product * 0.5 + c, tkl::causality::bottom_right);
  see(tkl::assign(y, tkl::attention(x, x, x, tkl::scores::key_padding(score, b), tkl::attention_params{})));
  see(tkl::assign(y, tkl::reduce_mean(x, {1, 2})));
  see(tkl::assign(y, tkl::resize(x, {.scale = 2})));
  see(tkl::assign(y, tkl::pad(x, {0, 1, 1, 0}, {0, 1, 1, 0})));
  see(tkl::assign(y, tkl::batch_norm(x, b, b, b, b)));
  see(tkl::assign(y, tkl::slice(x, 1, 0, 2)));
  see(tkl::assign(y, tkl::transpose(x, {0, 2, 1, 3})));
  see(tkl::assign(c, tkl::concat(1, a, a)));
  return good;
}
