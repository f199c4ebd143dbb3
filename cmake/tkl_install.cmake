# SPDX-License-Identifier: Apache-2.0
# Install rules: headers, CMake package, pkg-config file. All of it is independent of the architecture; tkl::kernels, where
# it is built, is not.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(tkl_cmake_dir ${CMAKE_INSTALL_DATADIR}/cmake/tkl)

install(DIRECTORY include/tkl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh")
install(TARGETS tkl EXPORT tklTargets)
install(EXPORT tklTargets NAMESPACE tkl:: DESTINATION ${tkl_cmake_dir})

set(tkl_package_architecture ARCH_INDEPENDENT)
if(TARGET tkl_kernels)
  install(TARGETS tkl_kernels EXPORT tklKernelsTargets)
  install(FILES kernels/include/tkl/kernels.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tkl)
  install(EXPORT tklKernelsTargets NAMESPACE tkl:: DESTINATION ${tkl_cmake_dir})
  set(tkl_package_architecture "")
endif()

configure_package_config_file(cmake/tklConfig.cmake.in tklConfig.cmake INSTALL_DESTINATION ${tkl_cmake_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(tklConfigVersion.cmake COMPATIBILITY SameMinorVersion ${tkl_package_architecture})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tklConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tklConfigVersion.cmake
              cmake/tkl_dependencies.cmake cmake/tkl_level_flags.cmake cmake/tkl_dispatch.cmake cmake/tkl_dispatch.cpp.in
        DESTINATION ${tkl_cmake_dir})

# pkg-config knows no compiler, so the file carries the flags of the one that configured it and names both sets.
string(REPLACE ";" " " tkl_pc_gcc_flags "${tkl_gcc_constexpr_flags}")
string(REPLACE ";" " " tkl_pc_clang_flags "${tkl_clang_constexpr_flags}")
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(tkl_pc_flags "\${clang_constexpr_flags}")
else()
  set(tkl_pc_flags "\${gcc_constexpr_flags}")
endif()
set(tkl_pc_dependencies "")
foreach(dependency IN ITEMS xsimd rapidjson)
  if(TARGET tkl::${dependency})
    get_target_property(folder tkl::${dependency} INTERFACE_INCLUDE_DIRECTORIES)
    if(folder AND NOT CMAKE_CROSSCOMPILING)
      string(APPEND tkl_pc_dependencies " -I${folder}")
    endif()
  endif()
endforeach()
configure_file(cmake/tkl.pc.in tkl.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tkl.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
