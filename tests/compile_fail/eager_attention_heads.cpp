// expect: attention: a head of q has 8 columns \(64 for 8 heads\), of k 16 \(32 for 2\)
// SPDX-License-Identifier: Apache-2.0
// Query heads narrower than the heads of keys that they share.
#include <tkl/attention.hpp>

int main() {
  using namespace tkl::scores;
  tkl::tensor<float, tkl::row_major<1, 5, 64>> q, y;
  tkl::tensor<float, tkl::row_major<1, 7, 32>> k, v;
  constexpr tkl::attention_params shared{.heads = 8, .key_heads = 2};
  tkl::assign(y, tkl::attention<shared>(q, k, v, causal(product * 0.25, tkl::causality::bottom_right)));
}
