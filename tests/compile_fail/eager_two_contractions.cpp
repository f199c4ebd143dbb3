// expect: two contractions are a graph: assign the inner one to a tensor of its own first, or build a graph
// SPDX-License-Identifier: Apache-2.0
// Two contractions in one expression.
// One expression holds one contraction. Assign the first to a tensor, or build a graph, whose passes fuse what can be
// fused.
#include <tkl/gemm.hpp>

void f(tkl::tensor<float, tkl::row_major<2, 2>>& y, const tkl::tensor<float, tkl::row_major<2, 2>>& a) {
  tkl::assign(y, tkl::matmul(a, a) + tkl::matmul(a, a));
}
