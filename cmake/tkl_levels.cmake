# SPDX-License-Identifier: Apache-2.0
# How a program of an instruction-set level (tkl_level_flags.cmake) is compiled for tests and run on this host; neon from an
# x86-64 host by a cross compiler and an emulator.
#
# A level that this host lacks needs an emulator command, a list such as "qemu-aarch64-static;-cpu;max", in the cache or
# environment variable TKL_EMULATOR_AVX2, TKL_EMULATOR_AVX512 or TKL_EMULATOR_AARCH64. It gets a statically linked program.
include_guard(GLOBAL)
include(tkl_level_flags)

if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo tkl_cpu_flags REGEX "^(flags|Features)" LIMIT_COUNT 1)
else()
  set(tkl_cpu_flags "")
endif()
string(APPEND tkl_cpu_flags " ")

foreach(name IN ITEMS AVX2 AVX512 AARCH64)
  set(TKL_EMULATOR_${name} "$ENV{TKL_EMULATOR_${name}}" CACHE STRING "Command that runs a static program of this level")
  if(DEFINED ENV{TKL_EMULATOR_${name}})
    set_property(CACHE TKL_EMULATOR_${name} PROPERTY VALUE "$ENV{TKL_EMULATOR_${name}}")
  endif()
endforeach()
if(NOT TKL_EMULATOR_AARCH64)
  find_program(TKL_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
  mark_as_advanced(TKL_QEMU_AARCH64)
  if(TKL_QEMU_AARCH64)
    set_property(CACHE TKL_EMULATOR_AARCH64 PROPERTY VALUE "${TKL_QEMU_AARCH64};-cpu;max")
  endif()
endif()
find_program(TKL_AARCH64_CXX NAMES aarch64-linux-gnu-g++-12 aarch64-linux-gnu-g++ DOC "Cross compiler for level neon")

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(tkl_target_is_arm TRUE)
  set(TKL_LEVELS neon)
else()
  set(tkl_target_is_arm FALSE)
  set(TKL_LEVELS base avx2 avx512 neon)
endif()

# tkl_host_has(level out): whether this host executes programs of the level.
function(tkl_host_has level out)
  set(needed_avx2 avx2 fma f16c)
  set(needed_avx512 ${needed_avx2} avx512f avx512cd avx512bw avx512dq avx512vl)
  set(has TRUE)
  foreach(flag IN LISTS needed_${level})
    if(NOT tkl_cpu_flags MATCHES " ${flag} ")
      set(has FALSE)
    endif()
  endforeach()
  if(level STREQUAL "neon" AND (CMAKE_CROSSCOMPILING OR NOT tkl_target_is_arm))
    set(has FALSE)
  endif()
  set(${out} ${has} PARENT_SCOPE)
endfunction()

# tkl_level_runner(level prefix): how a program of the level is run here. Sets
#   <prefix>_runnable  TRUE when it can be run
#   <prefix>_emulator  command to put before the program, empty when the host runs it
#   <prefix>_reason    why it cannot be run, for the message of the skipped test
function(tkl_level_runner level prefix)
  tkl_host_has(${level} native)
  set(emulator "")
  set(reason "")
  if(NOT native)
    string(TOUPPER ${level} variable)
    if(level STREQUAL "neon")
      set(variable AARCH64)
    endif()
    set(emulator ${TKL_EMULATOR_${variable}})
    if(NOT emulator)
      set(reason "this host has no ${level}, and TKL_EMULATOR_${variable} names no emulator")
    elseif(level STREQUAL "neon" AND NOT tkl_target_is_arm AND NOT TKL_AARCH64_CXX)
      set(reason "no cross compiler aarch64-linux-gnu-g++ for level neon")
    endif()
  endif()
  set(${prefix}_emulator "${emulator}" PARENT_SCOPE)
  set(${prefix}_reason "${reason}" PARENT_SCOPE)
  if(reason)
    set(${prefix}_runnable FALSE PARENT_SCOPE)
  else()
    set(${prefix}_runnable TRUE PARENT_SCOPE)
  endif()
endfunction()

# tkl_best_native_level(out): the highest level that this host executes itself (neon in an emulated cross build).
function(tkl_best_native_level out)
  if(tkl_target_is_arm)
    set(best neon)
  else()
    set(best base)
    foreach(level IN ITEMS avx2 avx512)
      tkl_host_has(${level} has)
      if(has)
        set(best ${level})
      endif()
    endforeach()
  endif()
  set(${out} ${best} PARENT_SCOPE)
endfunction()

# tkl_set_level(target level): compiles the target's sources for the level. Optimised even in a debug build: unoptimised
# code calls small inline functions of the standard library, which the linker shares between levels.
function(tkl_set_level target level)
  tkl_level_flags(${level} flags)
  tkl_level_warnings(${level} warnings)
  target_compile_options(${target} PRIVATE ${flags} ${warnings} ${TKL_LEVEL_OPTIMISATION})
  set_property(TARGET ${target} PROPERTY TKL_LEVEL ${level})
endfunction()
