// SPDX-License-Identifier: Apache-2.0
// The C interface of a program that holds its models at several instruction-set levels: the level is chosen once, and
// each opened model keeps the functions of its level. CMake's tkl_add_model writes the unit that lists them.
#pragma once

#include <tkl/c_api.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <new>
#include <span>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/text.hpp>
#include <tkl/runtime/c_functions.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/level_choice.hpp>

namespace tkl {

/// One model as it was compiled for one level.
struct model_at_level {
  cpu_level level;
  const c_functions* functions;
};

TKL_ISA_BEGIN

/// The static functions that TKL_C_FUNCTIONS asks for. `Models`: an array of model_at_level, each model at every level.
template <const auto& Models>
struct dispatched_models {
  static const char* version() {
    static constexpr text<31> none = [] {
      text<31> v;
      return v << TKL_VERSION_MAJOR << '.' << TKL_VERSION_MINOR << '.' << TKL_VERSION_PATCH << " none";
    }();
    const result<cpu_level> level = choice.current(levels());
    if (!level) return none.c_str();
    for (const model_at_level& m : Models)
      if (m.level == *level) return m.functions->version();
    return none.c_str();
  }

  static int select_level(const char* level, char* error, std::size_t size) {
    const result<cpu_level> l = choice.select(level == nullptr ? "" : level, "tkl_select_level", levels());
    return l ? 0 : (fail(error, size, l.error().message()), 1);
  }

  static tkl_model* open(const char* name, const char* file, char* error, std::size_t size) {
    if (name == nullptr) return fail(error, size, "the name of the model is null");
    const result<cpu_level> level = choice.current(levels());
    if (!level) return fail(error, size, level.error().message());
    message_text holds;
    holds << "model '" << std::string_view(name) << "': this object holds";
    for (const model_at_level& m : Models) {
      if (m.level != *level) continue;
      const std::string_view own = m.functions->name;
      if (own == name) return with(m.functions, m.functions->open(name, file, error, size), error, size);
      holds << " '" << own << '\'';
    }
    return fail(error, size, holds.c_str());
  }

  static int input_count(const tkl_model* m) { return m == nullptr ? 0 : functions(m)->input_count(inner(m)); }
  static int output_count(const tkl_model* m) { return m == nullptr ? 0 : functions(m)->output_count(inner(m)); }
  static int input_info(const tkl_model* m, int index, tkl_tensor_info* info) {
    return m == nullptr ? -1 : functions(m)->input_info(inner(m), index, info);
  }
  static int output_info(const tkl_model* m, int index, tkl_tensor_info* info) {
    return m == nullptr ? -1 : functions(m)->output_info(inner(m), index, info);
  }

  static tkl_workspace* create(const tkl_model* m, int threads, char* error, std::size_t size) {
    if (m == nullptr) return fail(error, size, "the model is null");
    tkl_workspace* const own = functions(m)->create(inner(m), threads, error, size);
    if (own == nullptr) return nullptr;
    auto* const w = new (std::nothrow) workspace{functions(m), own};
    if (w == nullptr) return functions(m)->destroy(own), fail(error, size, "no memory for the workspace");
    return reinterpret_cast<tkl_workspace*>(w);
  }

  static int run(const tkl_model* m, tkl_workspace* w, const void* const* in, void* const* out, char* error,
                 std::size_t size) {
    if (m == nullptr) return fail(error, size, "the model is null"), 1;
    if (w == nullptr) return fail(error, size, "the workspace is null"), 1;
    const auto* const memory = reinterpret_cast<const workspace*>(w);
    if (memory->functions != functions(m)) {
      message_text t;
      t << "model '" << functions(m)->name << "', " << functions(m)->version() << ": the workspace is one of model '"
        << memory->functions->name << "', " << memory->functions->version();
      return fail(error, size, t.c_str()), 1;
    }
    return functions(m)->run(inner(m), memory->own, in, out, error, size);
  }

  static void destroy(tkl_workspace* w) {
    auto* const memory = reinterpret_cast<workspace*>(w);
    if (memory != nullptr) memory->functions->destroy(memory->own);
    delete memory;
  }
  static void close(tkl_model* m) {
    auto* const opened = reinterpret_cast<model*>(m);
    if (opened != nullptr) opened->functions->close(opened->own);
    delete opened;
  }

 private:
  /// What an opaque tkl_model and tkl_workspace are here: those of a level, and that level's functions.
  struct model {
    const c_functions* functions;
    tkl_model* own;
  };
  struct workspace {
    const c_functions* functions;
    tkl_workspace* own;
  };
  static const c_functions* functions(const tkl_model* m) { return reinterpret_cast<const model*>(m)->functions; }
  static const tkl_model* inner(const tkl_model* m) { return reinterpret_cast<const model*>(m)->own; }

  static tkl_model* with(const c_functions* f, tkl_model* own, char* error, std::size_t size) {
    if (own == nullptr) return nullptr;
    auto* const m = new (std::nothrow) model{f, own};
    if (m == nullptr) return f->close(own), fail(error, size, "no memory for the model");
    return reinterpret_cast<tkl_model*>(m);
  }

  /// Each level once.
  struct level_list {
    std::array<cpu_level, std::size(Models)> at{};
    std::size_t count = 0;
  };
  static constexpr level_list built = [] {
    level_list l;
    for (const model_at_level& m : Models) {
      bool seen = false;
      for (std::size_t i = 0; i < l.count; ++i) seen = seen || l.at[i] == m.level;
      if (!seen) l.at[l.count++] = m.level;
    }
    return l;
  }();
  static std::span<const cpu_level> levels() { return {built.at.data(), built.count}; }
  static inline level_choice choice{};

  static std::nullptr_t fail(char* error, std::size_t size, const char* message) {
    return tkl::detail::leave_message(error, size, message);
  }
};

TKL_ISA_END
}  // namespace tkl
