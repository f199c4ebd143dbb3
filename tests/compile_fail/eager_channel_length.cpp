// expect: channel: 3 values, the result 4x8 has 8 channels
// SPDX-License-Identifier: Apache-2.0
// A bias of another length than the result's channels.
#include <tkl/elementwise.hpp>

void f(tkl::tensor<float, tkl::row_major<4, 8>>& y, const tkl::tensor<float, tkl::row_major<4, 8>>& x,
       const float (&bias)[3]) {
  tkl::assign(y, tkl::relu(x + tkl::channel(bias)));
}
