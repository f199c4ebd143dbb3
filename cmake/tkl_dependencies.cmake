# SPDX-License-Identifier: Apache-2.0
# Finds what the headers of tkl include. Used by the build and, installed beside it, by the package config.
include_guard(GLOBAL)

# tkl_header_target(NAME header folder hint...): makes tkl::NAME, an interface target through which `header` is found.
#
# A header that the compiler finds by itself gets no include folder at all: naming /usr/include with -isystem moves it
# before the compiler's own folders and breaks <cstdlib> and friends. A cross compiler that does not look into the
# host's folders is given only this one library, by a link to its folder, never all of /usr/include.
function(tkl_header_target name header folder)
  if(TARGET tkl::${name})
    return()
  endif()
  find_path(TKL_${name}_INCLUDE_DIR ${header} HINTS ${ARGN} PATHS /usr/include /usr/local/include
            DOC "Folder that holds ${header}")
  mark_as_advanced(TKL_${name}_INCLUDE_DIR)
  set(include_dir "${TKL_${name}_INCLUDE_DIR}")
  if(NOT include_dir)
    return()
  endif()
  add_library(tkl::${name} INTERFACE IMPORTED GLOBAL)
  if(include_dir IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    return()
  endif()
  if(CMAKE_CROSSCOMPILING)
    set(links "${CMAKE_BINARY_DIR}/tkl_host_headers")
    file(MAKE_DIRECTORY "${links}")
    file(CREATE_LINK "${include_dir}/${folder}" "${links}/${folder}" SYMBOLIC)
    set(include_dir "${links}")
  endif()
  target_include_directories(tkl::${name} INTERFACE "${include_dir}")
endfunction()

# Makes tkl::xsimd and tkl::rapidjson, as far as they are found. Packages are asked first, but only for their folder:
# the target of Debian's xsimd config links a library "xtl" that does not exist, and its config lies in the folder of
# one architecture, where a cross build does not look.
function(tkl_find_dependencies)
  set(hints "")
  if(NOT CMAKE_CROSSCOMPILING AND NOT TARGET tkl::xsimd)
    find_package(xsimd CONFIG QUIET)
    if(xsimd_FOUND)
      list(APPEND hints ${xsimd_INCLUDE_DIRS})
    endif()
  endif()
  tkl_header_target(xsimd xsimd/xsimd.hpp xsimd ${hints})
  tkl_header_target(rapidjson rapidjson/reader.h rapidjson)
endfunction()

# Makes tkl::highway where Highway is found: for tkl::leaf, and as a second opinion on what the processor is. On x86: Debian
# builds it for the host alone.
function(tkl_find_highway)
  if(TARGET tkl::highway OR CMAKE_CROSSCOMPILING OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    return()
  endif()
  find_package(hwy CONFIG QUIET)
  if(NOT TARGET hwy::hwy)
    return()
  endif()
  set_target_properties(hwy::hwy PROPERTIES IMPORTED_GLOBAL TRUE)
  add_library(tkl::highway INTERFACE IMPORTED GLOBAL)
  target_link_libraries(tkl::highway INTERFACE hwy::hwy)
endfunction()

# Makes tkl::opencl (what a program with compiled OpenCL models links) where CL/opencl.hpp and a loader are found.
function(tkl_find_opencl)
  if(TARGET tkl::opencl OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  find_package(OpenCL QUIET)
  tkl_header_target(clhpp CL/opencl.hpp CL)
  if(NOT TARGET OpenCL::OpenCL OR NOT TARGET tkl::clhpp)
    return()
  endif()
  set_target_properties(OpenCL::OpenCL PROPERTIES IMPORTED_GLOBAL TRUE)
  add_library(tkl::opencl INTERFACE IMPORTED GLOBAL)
  target_link_libraries(tkl::opencl INTERFACE tkl::tkl tkl::clhpp OpenCL::OpenCL)
  if(TKL_OPENCL_TEXT_AT_START) # an option of the build; users of an installed tkl set it before find_package
    target_compile_definitions(tkl::opencl INTERFACE TKL_OPENCL_TEXT_AT_START)
  endif()
endfunction()

# Makes tkl::cuda (what a .cu file with compiled CUDA models links) where the CUDA toolkit is found. Kernels use constexpr
# functions of the library; plans are evaluated by nvcc's front end and by the host's compiler.
function(tkl_find_cuda)
  if(TARGET tkl::cuda OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
  if(NOT TARGET CUDA::cudart)
    return()
  endif()
  set_target_properties(CUDA::cudart PROPERTIES IMPORTED_GLOBAL TRUE)
  add_library(tkl::cuda INTERFACE IMPORTED GLOBAL)
  target_link_libraries(tkl::cuda INTERFACE tkl::tkl CUDA::cudart)
  set(flags -std=c++20 --expt-relaxed-constexpr
      -Xcompiler=-fconstexpr-ops-limit=2000000000,-fconstexpr-loop-limit=20000000)
  target_compile_options(tkl::cuda INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>")
endfunction()
