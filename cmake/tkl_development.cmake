# SPDX-License-Identifier: Apache-2.0
# What tests, benchmarks and examples share: warnings, compiler cache, levels, and the comment lines that tune a source.
include_guard(GLOBAL)

set(TKL_LEVEL_OPTIMISATION "-O2" CACHE STRING "Optimisation of code that is compiled for a level")
include(tkl_levels)

find_program(TKL_CCACHE ccache)
mark_as_advanced(TKL_CCACHE)
if(TKL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TKL_CCACHE})
endif()

# Inherited by everything that the project compiles for itself, never by a consumer.
add_library(tkl_own INTERFACE)
# Shadowing only between local names: the vocabulary has objects called max, exp or acc, and plain -Wshadow forbids those
# names to every parameter and scoped enumerator.
set(tkl_warnings -Wall -Wextra -Wpedantic -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND tkl_warnings -Wshadow=local)
endif()
if(TKL_WERROR)
  list(APPEND tkl_warnings -Werror)
endif()
target_compile_options(tkl_own INTERFACE ${tkl_warnings})
target_link_libraries(tkl_own INTERFACE tkl::tkl)
set_property(TARGET tkl_own PROPERTY INTERFACE_COMPILE_DEFINITIONS TKL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
             TKL_BUILD_DIR="${PROJECT_BINARY_DIR}")
set(CMAKE_CXX_EXTENSIONS OFF)

find_package(OpenMP QUIET COMPONENTS CXX)
if(TARGET OpenMP::OpenMP_CXX AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # By the flag instead of the path of a shared library: programs for an emulator are linked statically.
  set_property(TARGET OpenMP::OpenMP_CXX PROPERTY INTERFACE_LINK_LIBRARIES -fopenmp)
endif()
find_package(Threads QUIET)
tkl_find_highway()
tkl_header_target(stb stb/stb_image.h stb)
tkl_header_target(doctest doctest/doctest.h doctest)

# tkl_source_options(source tag prefix): reads the lines "// <tag>: key=value key=value" among the first 20 of a source
# and sets <prefix>_<key> in the caller; commas separate the parts of a value. The configure step runs again when the
# source changes. Keys without a value in the source are unset.
function(tkl_source_options source tag prefix)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  foreach(key IN ITEMS levels libs timeout optimise emulated serial compilers defines arguments sanitize)
    unset(${prefix}_${key} PARENT_SCOPE)
  endforeach()
  file(STRINGS "${source}" lines REGEX "^//.* ${tag}:")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^// ${tag}: ")
      message(FATAL_ERROR "${source}: '${tag}:' must begin its comment line, this one is: ${line}")
    endif()
    string(REGEX REPLACE "^// ${tag}: *" "" line "${line}")
    string(REGEX MATCHALL "[^ ]+" words "${line}")
    foreach(word IN LISTS words)
      if(NOT word MATCHES "^(levels|libs|timeout|optimise|emulated|serial|compilers|defines|arguments|sanitize)=(.+)$")
        message(FATAL_ERROR "${source}: '// ${tag}:' does not know '${word}'")
      endif()
      string(REPLACE "," ";" value "${CMAKE_MATCH_2}")
      set(${prefix}_${CMAKE_MATCH_1} "${value}" PARENT_SCOPE)
    endforeach()
  endforeach()
endfunction()

# tkl_link_named(target missing name...): links what a source asks for by name; sets `missing` to the first that is not
# there, or to nothing.
function(tkl_link_named target missing)
  set(${missing} "" PARENT_SCOPE)
  foreach(name IN LISTS ARGN)
    if(name STREQUAL "openmp")
      set(library OpenMP::OpenMP_CXX)
    elseif(name STREQUAL "threads")
      set(library Threads::Threads)
    elseif(name STREQUAL "benchmark")
      set(library benchmark::benchmark)
    else()
      set(library tkl::${name})
    endif()
    if(name STREQUAL "dl")
      target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
    elseif(TARGET ${library})
      target_link_libraries(${target} PRIVATE ${library})
    else()
      set(${missing} ${name} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
