// SPDX-License-Identifier: Apache-2.0
// The functions of the C interface as a table: what one compiled model offers, and how its functions get their C names.
#pragma once

#include <tkl/c_api.h>

#include <cstddef>
#include <cstring>
#include <tkl/config.hpp>

namespace tkl {

/// One model at one level. The types are those of tkl/c_api.h.
struct c_functions {
  const char* name;
  decltype(&tkl_version) version;
  decltype(&tkl_model_open) open;
  decltype(&tkl_model_input_count) input_count;
  decltype(&tkl_model_output_count) output_count;
  decltype(&tkl_model_input_info) input_info;
  decltype(&tkl_model_output_info) output_info;
  decltype(&tkl_workspace_create) create;
  decltype(&tkl_model_run) run;
  decltype(&tkl_workspace_destroy) destroy;
  decltype(&tkl_model_close) close;
};

/// The table of a class with these static functions.
template <class Model>
inline constexpr c_functions c_functions_of{
    Model::name,         &Model::version, &Model::open, &Model::input_count, &Model::output_count, &Model::input_info,
    &Model::output_info, &Model::create,  &Model::run,  &Model::destroy,     &Model::close};

namespace detail {

/// Leaves a message in the caller's buffer, cut to its size.
TKL_COLD inline std::nullptr_t leave_message(char* error, std::size_t size, const char* message) {
  if (error == nullptr || size == 0) return nullptr;
  const std::size_t length = std::strlen(message), kept = length < size ? length : size - 1;
  std::memcpy(error, message, kept);
  error[kept] = '\0';
  return nullptr;
}

}  // namespace detail
}  // namespace tkl

/// Defines the functions of tkl/c_api.h as those of a class, once in a program or shared object. A macro, because a
/// template cannot define functions with C names.
#define TKL_C_FUNCTIONS(...)                                                                                    \
  const char* tkl_version(void) {                                                                               \
    return __VA_ARGS__::version();                                                                              \
  }                                                                                                             \
  int tkl_select_level(const char* level, char* error, size_t size) {                                           \
    return __VA_ARGS__::select_level(level, error, size);                                                       \
  }                                                                                                             \
  tkl_model* tkl_model_open(const char* name, const char* file, char* error, size_t size) {                     \
    return __VA_ARGS__::open(name, file, error, size);                                                          \
  }                                                                                                             \
  int tkl_model_input_count(const tkl_model* m) {                                                               \
    return __VA_ARGS__::input_count(m);                                                                         \
  }                                                                                                             \
  int tkl_model_output_count(const tkl_model* m) {                                                              \
    return __VA_ARGS__::output_count(m);                                                                        \
  }                                                                                                             \
  int tkl_model_input_info(const tkl_model* m, int index, tkl_tensor_info* info) {                              \
    return __VA_ARGS__::input_info(m, index, info);                                                             \
  }                                                                                                             \
  int tkl_model_output_info(const tkl_model* m, int index, tkl_tensor_info* info) {                             \
    return __VA_ARGS__::output_info(m, index, info);                                                            \
  }                                                                                                             \
  tkl_workspace* tkl_workspace_create(const tkl_model* m, int threads, char* error, size_t size) {              \
    return __VA_ARGS__::create(m, threads, error, size);                                                        \
  }                                                                                                             \
  int tkl_model_run(const tkl_model* m, tkl_workspace* w, const void* const* in, void* const* out, char* error, \
                    size_t size) {                                                                              \
    return __VA_ARGS__::run(m, w, in, out, error, size);                                                        \
  }                                                                                                             \
  void tkl_workspace_destroy(tkl_workspace* w) {                                                                \
    __VA_ARGS__::destroy(w);                                                                                    \
  }                                                                                                             \
  void tkl_model_close(tkl_model* m) {                                                                          \
    __VA_ARGS__::close(m);                                                                                      \
  }
