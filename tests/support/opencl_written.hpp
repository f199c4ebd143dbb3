// SPDX-License-Identifier: Apache-2.0
// Kernel texts written at run time: the functions that write are the library's, algorithm and expression are walked.
#pragma once

#include <memory>
#include <tkl/exec/opencl_text_of.hpp>

#include "support/walked.hpp"

namespace tkl_test {

/// An expression that is looked up while it is written.
struct written_expression : tkl::expression_base {
  tkl::expr_code code{};
};
template <class L>
tkl::text_value eval(const written_expression& e, const L& leaf) {
  return walk(e.code, tkl::slot_names{}, leaf);
}

/// The kernel of a key, as write_kernel<K, S, P> writes it.
template <tkl::work_item_schedule S>
std::unique_ptr<tkl::kernel_writer> written_kernel(const tkl::kernel_key& k,
                                                   tkl::opencl_precision p = tkl::opencl_precision::f32) {
  auto w = std::make_unique<tkl::kernel_writer>();
  w->half = p == tkl::opencl_precision::half && tkl::maps_in_half(k);
  w->columns = tkl::columns_of(k, S, p);
  tkl::opencl_machine m(*w, k.in, k.out, k.weights);
  if (k.algorithm == tkl::algorithm::conv2d_staged)
    tkl::opencl_epilogue(*w, k.out, tkl::role::prologue).write_prologue(written_expression{{}, k.prologue});
  if (copies_operand(k)) {
    with_type(k.out, [&](auto element) {
      const tkl::slot_names names;
      return with_leaf<decltype(element)>(k.epilogue.at[0].kind(), names.slot[0], [&](const auto& n) {
        tkl::opencl_epilogue(*w, k.out).write(n, true, tkl::stores_apart(k));
        return 0;
      });
    });
  } else if (!tkl::stores_indices(k)) {
    tkl::opencl_epilogue(*w, k.out).write(written_expression{{}, k.epilogue}, false, tkl::stores_apart(k));
  }
  w->half = tkl::computes_in_half(k, p);
  *w << "__kernel void " << name_of(k.algorithm) << "(PARAMETERS) {\n";
  walk_item<S>(k, m);
  *w << "}\n";
  return w;
}

}  // namespace tkl_test
