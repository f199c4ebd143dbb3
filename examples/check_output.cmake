# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=command;arguments -DEXPECTED=file -P check_output.cmake: runs the program; it must succeed and print the file.
list(REMOVE_ITEM PROGRAM "")
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ "${EXPECTED}" expected)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status} after printing:\n${printed}")
endif()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected (${EXPECTED}):\n${expected}\nprinted:\n${printed}")
endif()
