# SPDX-License-Identifier: Apache-2.0
# tkl::read_page: everything of the example that is not a network (pictures in, boxes, text, output files), as a library
# for the program and for its tests. Not made when one of the libraries it needs is missing; read_page_missing says which.
include_guard(GLOBAL)

tkl_header_target(cli11 CLI/CLI.hpp CLI)
set(read_page_missing "")
foreach(need IN ITEMS "tkl::stb libstb-dev" "tkl::rapidjson rapidjson-dev" "tkl::cli11 libcli11-dev")
  string(REPLACE " " ";" need "${need}")
  list(POP_FRONT need target)
  if(NOT TARGET ${target})
    list(APPEND read_page_missing ${need})
  endif()
endforeach()
if(read_page_missing)
  return()
endif()

add_library(tkl_read_page STATIC)
add_library(tkl::read_page ALIAS tkl_read_page)
foreach(part IN ITEMS boxes ctc files frames jpeg_end options output_html output_json output_text picture resize stb_image)
  target_sources(tkl_read_page PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${part}.cpp)
endforeach()
target_include_directories(tkl_read_page PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_link_libraries(tkl_read_page PRIVATE tkl_own tkl::cli11 PUBLIC tkl::tkl tkl::stb)
target_compile_options(tkl_read_page PRIVATE -O2)
