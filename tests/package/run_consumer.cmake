# SPDX-License-Identifier: Apache-2.0
# cmake -D METHOD=... -D SOURCE=... -D BUILD=... -D CXX=... -D GENERATOR=... -P run_consumer.cmake
# Installs tkl into a fresh prefix, where the method needs one, configures, builds and runs the consumer project, and
# looks at what it was given.
cmake_minimum_required(VERSION 3.25)
set(work "${BUILD}/${METHOD}")
file(REMOVE_RECURSE "${work}")
set(arguments "")

if(NOT METHOD MATCHES "^(fetch_content|add_subdirectory)$")
  set(prefix "${work}/prefix with space")
  execute_process(COMMAND ${CMAKE_COMMAND} --install "${PROJECT_BUILD}" --prefix "${prefix}" COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_QUIET)
  file(GLOB_RECURSE installed "${prefix}/share/*.cmake" "${prefix}/share/*.pc")
  list(LENGTH installed count)
  if(count LESS 5)
    message(FATAL_ERROR "the package files are missing below ${prefix}: ${installed}")
  endif()
  foreach(file IN LISTS installed)
    file(READ "${file}" text)
    foreach(folder IN ITEMS "${SOURCE}" "${PROJECT_BUILD}")
      string(FIND "${text}" "${folder}" found)
      if(NOT found EQUAL -1)
        message(FATAL_ERROR "${file} names the folder ${folder}")
      endif()
    endforeach()
  endforeach()
  # A package that is moved after its installation still works.
  file(RENAME "${prefix}" "${work}/moved")
  set(prefix "${work}/moved")
  list(APPEND arguments "-DCMAKE_PREFIX_PATH=${prefix}")
  set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig")
endif()

execute_process(
  COMMAND ${CMAKE_COMMAND} -S "${SOURCE}/tests/package/consumer" -B "${work}/build" -G "${GENERATOR}" -DCMAKE_CXX_COMPILER=${CXX}
          -DTKL_CONSUMER_METHOD=${METHOD} -DTKL_CONSUMER_SOURCE=${SOURCE} -DTKL_CONSUMER_VERSION=${VERSION} ${arguments}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build "${work}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${work}/build/consumer" COMMAND_ERROR_IS_FATAL ANY)

file(READ "${work}/build/compile_commands.json" commands)
if(NOT commands MATCHES "-fconstexpr-(ops-limit|steps)=")
  message(FATAL_ERROR "the consumer did not get the constexpr limits: ${commands}")
endif()
if(commands MATCHES "[ \"](-m[a-z0-9]+[^ ]*|-f(fast-math|no-math-errno|unsafe[a-z-]*|finite[a-z-]*|associative[a-z-]*|exceptions|no-[a-z-]+)|-O[^ ]*|-W[^ ]*|-D[^ ]*)")
  message(FATAL_ERROR "the consumer got the flag ${CMAKE_MATCH_1}: ${commands}")
endif()
if(commands MATCHES "-(I|isystem) ?/usr/include[ \"]")
  message(FATAL_ERROR "the consumer got /usr/include as an include folder: ${commands}")
endif()
message(STATUS "${METHOD}: configured, built, ran; no architecture, floating-point, warning or definition flag")
