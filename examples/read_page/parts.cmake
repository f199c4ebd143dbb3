# SPDX-License-Identifier: Apache-2.0
# Libraries for the program and for its tests; not made when a library that they need is missing.
#   tkl::read_page            everything that is not a network: pictures in, boxes, text, output files
#   tkl::read_page_networks   the networks, compiled for the host's best level, and reading with them
include_guard(GLOBAL)

tkl_header_target(cli11 CLI/CLI.hpp CLI)
foreach(need IN ITEMS tkl::stb tkl::rapidjson tkl::cli11)
  if(NOT TARGET ${need})
    return()
  endif()
endforeach()

add_library(tkl_read_page STATIC)
add_library(tkl::read_page ALIAS tkl_read_page)
foreach(part IN ITEMS boxes ctc files frames jpeg_end options output_html output_json output_text picture resize stb_image)
  target_sources(tkl_read_page PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${part}.cpp)
endforeach()
target_include_directories(tkl_read_page PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_link_libraries(tkl_read_page PRIVATE tkl_own tkl::cli11 PUBLIC tkl::tkl tkl::stb)
target_compile_options(tkl_read_page PRIVATE -O2)

add_library(tkl_read_page_networks STATIC EXCLUDE_FROM_ALL)
add_library(tkl::read_page_networks ALIAS tkl_read_page_networks)
foreach(part IN ITEMS drawings networks read)
  target_sources(tkl_read_page_networks PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${part}.cpp)
endforeach()
target_link_libraries(tkl_read_page_networks PRIVATE tkl_own PUBLIC tkl::read_page)
tkl_best_native_level(level)
tkl_set_level(tkl_read_page_networks ${level})
