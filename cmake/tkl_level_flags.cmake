# SPDX-License-Identifier: Apache-2.0
# Instruction-set levels and their compiler flags. This file is the only place of the project with -m flags. Used by the
# build and, installed beside it, by the package config.
#
#   base    what every CPU of the target has (x86-64: SSE2)
#   avx2    AVX2, FMA, F16C
#   avx512  the above and AVX-512 F, CD, BW, DQ, VL
#   neon    64-bit Arm
include_guard(GLOBAL)

# tkl_level_flags(level out): compiler flags of the level.
function(tkl_level_flags level out)
  set(avx2 -mavx2 -mfma -mf16c)
  if(level STREQUAL "avx2")
    set(${out} ${avx2} PARENT_SCOPE)
  elseif(level STREQUAL "avx512")
    set(${out} ${avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512 PARENT_SCOPE)
  elseif(level STREQUAL "base" OR level STREQUAL "neon")
    set(${out} "" PARENT_SCOPE)
  else()
    message(FATAL_ERROR "unknown level '${level}': known are base, avx2, avx512, neon")
  endif()
endfunction()

# tkl_level_warnings(level out): flags against wrong warnings of this compiler about code of the level.
function(tkl_level_warnings level out)
  set(${out} "" PARENT_SCOPE)
  if(level STREQUAL "avx512" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 warns about its own AVX-512 intrinsics; the other levels keep the warning for the same sources.
    set(${out} -Wno-uninitialized -Wno-maybe-uninitialized PARENT_SCOPE)
  endif()
endfunction()

# tkl_levels_of_target(out): the levels that code for the target processor can be compiled for.
function(tkl_levels_of_target out)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(${out} neon PARENT_SCOPE)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|x86-64|amd64|AMD64|i[3-6]86)$")
    set(${out} base avx2 avx512 PARENT_SCOPE)
  else()
    set(${out} base PARENT_SCOPE)
  endif()
endfunction()

# tkl_cores_of_level(level out): cores of the level that have schedules of their own, tags of include/tkl/arch/<level>.hpp.
function(tkl_cores_of_level level out)
  set(${out} "" PARENT_SCOPE)
  if(level STREQUAL "neon")
    set(${out} cortex_a53 cortex_a55 cortex_a72 cortex_a76 PARENT_SCOPE)
  endif()
endfunction()
