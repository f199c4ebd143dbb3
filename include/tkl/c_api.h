// SPDX-License-Identifier: Apache-2.0
/* C interface of a compiled model: an in-process service that any language can call. A shared object that exports these
 * functions holds one model, or several by name; tkl/runtime/c_model.hpp defines them for a model written in C++.
 *
 *   tkl_model* model = tkl_model_open("digits", "digits.safetensors", error, sizeof error);
 *   tkl_workspace* workspace = tkl_workspace_create(model, 1, error, sizeof error);
 *   const void* inputs[] = {picture};
 *   void* outputs[] = {scores};
 *   if (tkl_model_run(model, workspace, inputs, outputs, error, sizeof error) != 0) puts(error);
 *
 * Errors: a function that takes `error` leaves a terminated message there when it fails, cut to error_size bytes;
 * `error` may be null, or error_size 0. On success the buffer is not touched. No function throws. */
#ifndef TKL_C_API_H
#define TKL_C_API_H

/* A C header: its includes and types are written in C. */
/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using) */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#  define TKL_C_API __attribute__((visibility("default")))
#else
#  define TKL_C_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum { TKL_F32, TKL_I32, TKL_I64, TKL_U8, TKL_F16, TKL_BF16, TKL_I8 } tkl_type;

/* A buffer that the caller brings. The text lives as long as the shared object. Extents are in the order in which the
 * elements lie in memory, without gaps; `bytes` is the size of the whole. */
typedef struct {
  const char* name;
  tkl_type type;
  int rank;
  int64_t extents[8];
  size_t bytes;
} tkl_tensor_info;

typedef struct tkl_model tkl_model;         /* the packed weights: constant once open, may be shared between threads */
typedef struct tkl_workspace tkl_workspace; /* the memory of one caller at a time */

/* Version of the library: "0.1.0 avx2", the second word the instruction-set level of the code that runs; "none" when no
 * level can be chosen (tkl_select_level says why). */
TKL_C_API const char* tkl_version(void);

/* Chooses the level ("base", "avx2", "avx512", "neon") of the models that are opened from now on; null or "" chooses
 * the highest one that is built in and runs on this processor. Without a call, the first use chooses: the level that
 * the environment variable TKL_ARCH names where the object has several, else the highest. Returns 0, or 1 when the
 * object lacks the level or the processor cannot run it; the choice then stays as it was. */
TKL_C_API int tkl_select_level(const char* level, char* error, size_t error_size);

/* Opens the model `name` with its weights file (safetensors, or packed by the library). Null on failure: the object
 * holds another model, or the file does not fit the model, or no level can be chosen. */
TKL_C_API tkl_model* tkl_model_open(const char* name, const char* weights_file, char* error, size_t error_size);

/* Inputs and outputs in their declared order. The info functions return 0, or -1 when `index` or a pointer is wrong. */
TKL_C_API int tkl_model_input_count(const tkl_model* model);
TKL_C_API int tkl_model_input_info(const tkl_model* model, int index, tkl_tensor_info* info);
TKL_C_API int tkl_model_output_count(const tkl_model* model);
TKL_C_API int tkl_model_output_info(const tkl_model* model, int index, tkl_tensor_info* info);

/* Allocates the arena for one caller who runs the model on `threads` threads; the last allocation. Null on failure: no
 * memory, or a number of threads that the model's executor does not take (a serial one takes 1). */
TKL_C_API tkl_workspace* tkl_workspace_create(const tkl_model* model, int threads, char* error, size_t error_size);

/* Runs the model on buffers of the types and sizes that the info functions tell, aligned to their elements. 0 when
 * good. Otherwise nothing was computed: a buffer is null, misaligned, or an output overlaps another buffer. */
TKL_C_API int tkl_model_run(const tkl_model* model, tkl_workspace* workspace, const void* const* inputs,
                            void* const* outputs, char* error, size_t error_size);

/* Null is accepted. A model is closed after its last run; its workspaces may be destroyed before or after. */
TKL_C_API void tkl_workspace_destroy(tkl_workspace* workspace);
TKL_C_API void tkl_model_close(tkl_model* model);

#if defined(__cplusplus)
}
#endif

/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
#endif
