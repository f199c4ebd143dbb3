// SPDX-License-Identifier: Apache-2.0
// oneDNN: the engine, its version, and memory between its own layouts and plain ones.
#pragma once

#include <dnnl.hpp>
#include <string>

#include "data.hpp"

namespace bench {

inline dnnl::engine& onednn_engine() {
  static dnnl::engine e(dnnl::engine::kind::cpu, 0);
  return e;
}
inline dnnl::stream& onednn_stream() {
  static dnnl::stream s(onednn_engine());
  return s;
}

inline std::string onednn_version(const char* implementation) {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' + std::to_string(v->patch) + ' ' +
         implementation;
}

/// A copy of `b`, which has the layout of `plain`, in the layout of `wanted`.
inline dnnl::memory reordered(const buffer& b, const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted) {
  dnnl::memory from(plain, onednn_engine(), b.data()), to(wanted, onednn_engine());
  dnnl::reorder(from, to).execute(onednn_stream(), from, to);
  onednn_stream().wait();
  return to;
}

/// Copies a result into `b`, which has the layout of `plain`.
inline void read_back(dnnl::memory from, const dnnl::memory::desc& plain, const buffer& b) {
  dnnl::memory to(plain, onednn_engine(), b.data());
  dnnl::reorder(from, to).execute(onednn_stream(), from, to);
  onednn_stream().wait();
}

}  // namespace bench
