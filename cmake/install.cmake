# Install rules: program, manual pages, completions, modules, library, headers, CMake package, pkg-config file, licence and documents.
# All paths in the installed files are relative to the installed file, so that the installed tree can be moved.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/voxcc)

if(VOXCC_IO)
  install(TARGETS voxcc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(VOXCC_ITK)
    install(TARGETS voxcc_itk LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/voxcc)
  endif()
  if(VOXCC_LAB)
    install(TARGETS voxcc_lab_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/voxcc)
  endif()
  # write_help.cmake has written these files. The folders are the ones in which man and the shells search.
  set(help_folder ${PROJECT_BINARY_DIR}/help)
  set(VOXCC_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Folder for completions of zsh, relative to the prefix")
  install(DIRECTORY ${help_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
  install(FILES ${help_folder}/bash/voxcc DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
  install(FILES ${help_folder}/zsh/_voxcc DESTINATION ${VOXCC_ZSH_FOLDER} OPTIONAL)
  install(FILES ${help_folder}/fish/voxcc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
endif()

install(TARGETS voxcc_kernels EXPORT voxcc-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/voxcc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
if(VOXCC_LAB)  # voxccConfig.cmake offers voxcc::lab if it had been built before the installation
  install(FILES lab/interface/lab.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/voxcc)
  install(TARGETS voxcc_lab EXPORT voxcc-lab-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(EXPORT voxcc-lab-targets NAMESPACE voxcc:: FILE voxccLabTargets.cmake DESTINATION ${package_folder})
endif()

install(EXPORT voxcc-targets NAMESPACE voxcc:: FILE voxccTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/voxccConfig.cmake.in ${PROJECT_BINARY_DIR}/package/voxccConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/voxccConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/voxccConfig.cmake ${PROJECT_BINARY_DIR}/package/voxccConfigVersion.cmake
  DESTINATION ${package_folder})

# pkg-config: the library is static, so `--libs` must also list its dependencies.
set(pc_libraries "-lvoxcc -pthread")
if(VOXCC_HAS_CUDA)
  string(APPEND pc_libraries " ${CUDA_cudart_static_LIBRARY} -ldl -lrt")
endif()
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/voxcc.pc.in ${PROJECT_BINARY_DIR}/package/voxcc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/voxcc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN build EXCLUDE)
