// SPDX-License-Identifier: Apache-2.0
// OpenBLAS and BLIS export the same symbols: each is opened by its full path, with its symbols kept to itself.
#pragma once

#include <dlfcn.h>

#include <string>
#include <string_view>

#include "environment.hpp"

namespace bench {

/// A BLAS library; `sgemm` is null when it cannot be used, and `error` says why.
struct blas {
  using sgemm_function = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                                  const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
  std::string name, version, error;
  sgemm_function sgemm = nullptr;

  /// c = a * b, row-major without gaps.
  void product(int m, int n, int k, const float* a, const float* b, float* c) const {
    constexpr int row_major = 101, as_it_lies = 111;
    sgemm(row_major, as_it_lies, as_it_lies, m, n, k, 1.0F, a, k, b, n, 0.0F, c, n);
  }
};

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

inline void* open_library(blas& b, std::string_view path) {
  void* library = path.empty() ? nullptr : dlopen(std::string(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) b.error = b.name + " was not found";
  return library;
}

/// Whether the core that runs is the one asked for, whatever the case of its letters.
inline bool same_core(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] | 32) != (b[i] | 32)) return false;
  return true;
}

inline void settle(blas& b, void* library, std::string_view core, std::string_view wanted) {
  b.version += ' ';
  b.version += core;
  b.sgemm = symbol<blas::sgemm_function>(library, "cblas_sgemm");
  if (b.sgemm == nullptr) b.error = b.name + " has no cblas_sgemm";
  if (!same_core(core, wanted)) b.error = b.name + " runs its kernels for " + std::string(core);
  if (!b.error.empty()) b.sgemm = nullptr;
}

inline blas open_openblas() {
  blas b{"openblas", {}, {}, nullptr};
  if (void* library = open_library(b, TKL_OPENBLAS_PATH)) {
    const auto config = symbol<const char* (*)()>(library, "openblas_get_config");
    const auto core = symbol<const char* (*)()>(library, "openblas_get_corename");
    if (config != nullptr) b.version = config();
    if (b.version.starts_with("OpenBLAS ")) b.version = b.version.substr(9);
    b.version = b.version.substr(0, b.version.find(' '));
    settle(b, library, core != nullptr ? core() : "an unknown core", openblas_core);
  }
  return b;
}

inline blas open_blis() {
  blas b{"blis", {}, {}, nullptr};
  if (void* library = open_library(b, TKL_BLIS_PATH)) {
    // Without it a core that is named is looked for among contexts that do not exist yet.
    if (const auto initialise = symbol<void (*)()>(library, "bli_init")) initialise();
    const auto version = symbol<const char* (*)()>(library, "bli_info_get_version_str");
    const auto query = symbol<int (*)()>(library, "bli_arch_query_id");
    const auto text = symbol<const char* (*)(int)>(library, "bli_arch_string");
    if (version != nullptr) b.version = version();
    settle(b, library, query != nullptr && text != nullptr ? text(query()) : "an unknown core", blis_core);
  }
  return b;
}

}  // namespace bench
