# SPDX-License-Identifier: Apache-2.0
# Programs that hold their models at several instruction-set levels. Used by the build and, installed beside it, by the
# package config.
#
#   tkl_add_model(app digits.cpp)
#   tkl_add_model(app detector.cpp recogniser.cpp ARCHS base avx2)
#
#   tkl_add_model(app digits.cpp ARCHS cortex_a55)
#
# Each source has a TKL_C_MODEL (tkl/runtime/c_model.hpp) and is compiled once per level, as a part of the target: with
# its include folders, definitions and options, and the flags of the level. A unit that is written for the target chooses
# a level when the program first asks, and defines the functions of tkl/c_api.h. A core stands for its level, with its own
# schedules. See docs/dispatch.md.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/tkl_level_flags.cmake)

# tkl_check_levels(caller level...): refuses levels that the target processor does not know.
function(tkl_check_levels caller)
  tkl_levels_of_target(known)
  set(seen "")
  foreach(level IN LISTS ARGN)
    if(NOT level IN_LIST known)
      list(JOIN known " " names)
      message(FATAL_ERROR "${caller}: level '${level}' does not exist on ${CMAKE_SYSTEM_PROCESSOR}, which has: ${names}")
    elseif(level IN_LIST seen)
      message(FATAL_ERROR "${caller}: level '${level}' is named twice")
    endif()
    list(APPEND seen ${level})
  endforeach()
endfunction()

# tkl_add_level_units(target source symbol level...): the source as a unit of the target for each level. In it
# TKL_LEVEL_NAME is "avx2", TKL_LEVEL_SYMBOL is <symbol>_avx2.
function(tkl_add_level_units target source symbol)
  get_filename_component(source "${source}" ABSOLUTE)
  if(NOT EXISTS "${source}")
    message(FATAL_ERROR "${target}: the source ${source} does not exist")
  endif()
  foreach(level IN LISTS ARGN)
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}_levels/${symbol}_${level}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${source}\"\n")
    target_sources(${target} PRIVATE "${unit}")
    tkl_level_flags(${level} flags)
    tkl_level_warnings(${level} warnings)
    # Optimised in a debug build too: unoptimised code calls small inline functions of the standard library, of which the
    # linker keeps one copy for all levels.
    set(options ${flags} ${warnings} "$<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O2>")
    set_source_files_properties("${unit}" TARGET_DIRECTORY ${target} PROPERTIES
      COMPILE_OPTIONS "${options}"
      COMPILE_DEFINITIONS "TKL_LEVEL_NAME=\"${level}\";TKL_LEVEL_SYMBOL=${symbol}_${level}"
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# tkl_levels_of_archs(names out): the names with cores replaced by their levels. Sets tkl_core_of_<level> in the caller's
# scope where a level is wanted with a core's schedules.
function(tkl_levels_of_archs names out)
  tkl_levels_of_target(known)
  foreach(level IN LISTS known)
    tkl_cores_of_level(${level} cores)
    foreach(core IN LISTS cores)
      list(FIND names ${core} at)
      if(at EQUAL -1)
        continue()
      endif()
      list(REMOVE_AT names ${at})
      list(INSERT names ${at} ${level})
      set(tkl_core_of_${level} ${core} PARENT_SCOPE)
    endforeach()
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# tkl_add_model(target source... [ARCHS level-or-core...]): see above. Once for a target, with all of its models; without ARCHS at
# every level of the target processor.
function(tkl_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" ARCHS)
  set(sources ${arg_UNPARSED_ARGUMENTS})
  if(NOT sources)
    message(FATAL_ERROR "tkl_add_model(${target}): no source is named")
  endif()
  get_target_property(models ${target} TKL_MODELS)
  if(models)
    message(FATAL_ERROR "tkl_add_model(${target}): has models already (${models}); name all of them in one call")
  endif()
  if(NOT arg_ARCHS)
    tkl_levels_of_target(arg_ARCHS)
  endif()
  tkl_levels_of_archs("${arg_ARCHS}" arg_ARCHS)
  tkl_check_levels("tkl_add_model(${target})" ${arg_ARCHS})
  # In rising order: of a function that several units have (of the standard library, of the user's own) the linker keeps the
  # first, which is then the one that every processor runs.
  tkl_levels_of_target(levels)
  foreach(level IN LISTS levels)
    if(NOT level IN_LIST arg_ARCHS)
      list(REMOVE_ITEM levels ${level})
    endif()
  endforeach()
  set_property(TARGET ${target} PROPERTY TKL_MODELS "${sources}")
  target_link_libraries(${target} PRIVATE tkl::tkl)

  set(declarations "")
  set(entries "")
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    string(MAKE_C_IDENTIFIER "tkl_model_${stem}" symbol)
    tkl_add_level_units(${target} "${source}" ${symbol} ${levels})
    foreach(level IN LISTS levels)
      if(tkl_core_of_${level})
        set_property(SOURCE "${CMAKE_CURRENT_BINARY_DIR}/${target}_levels/${symbol}_${level}.cpp" TARGET_DIRECTORY ${target}
          APPEND PROPERTY COMPILE_DEFINITIONS "TKL_CORE=${tkl_core_of_${level}}")
      endif()
      string(APPEND declarations "[[gnu::visibility(\"hidden\")]] extern const tkl::c_functions ${symbol}_${level};\n")
      string(APPEND entries "    {tkl::cpu_level::${level}, &${symbol}_${level}},\n")
    endforeach()
  endforeach()
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}_levels/dispatch.cpp")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tkl_dispatch.cpp.in" "${unit}" @ONLY)
  target_sources(${target} PRIVATE "${unit}")
endfunction()
