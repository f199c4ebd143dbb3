// SPDX-License-Identifier: Apache-2.0
// The last act of every algorithm: the epilogue is evaluated for one vector of columns, and the result is stored.
#pragma once

#include <tkl/config.hpp>
#include <tkl/expr/eval.hpp>
#include <tkl/expr/node.hpp>

namespace tkl {
TKL_ISA_BEGIN

/// Evaluates `epilogue` with accumulator v at place `at` and stores a whole vector of columns to y.
template <class M, class E, class TC>
TKL_FN void finish(const E& epilogue, typename M::value v, const position& at, TC* y) {
  M::store(y, eval(epilogue, typename M::leaf{v, at, M::width}));
}

/// The same for the first `lanes` columns, 0 <= lanes <= width; nothing beyond them is read or written.
template <class M, class E, class TC>
TKL_FN void finish(const E& epilogue, typename M::value v, const position& at, TC* y, int lanes) {
  M::store(y, eval(epilogue, typename M::leaf{v, at, lanes}), lanes);
}

TKL_ISA_END
}  // namespace tkl
