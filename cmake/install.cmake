# cmake --install: library, headers, command, pkg-config file, CMake package, manual page, gallery and documents.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/amontons)
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/amontons)

# Two export sets: who uses the shared library needs none of the libraries it was built on.
install(TARGETS amontons EXPORT amontons-shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS amontons_static EXPORT amontons-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT amontons-shared NAMESPACE amontons:: FILE amontons-shared.cmake DESTINATION ${package_dir})
install(EXPORT amontons-static NAMESPACE amontons:: FILE amontons-static.cmake DESTINATION ${package_dir})
install(DIRECTORY include/amontons DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

list(JOIN AMONTONS_MODULES_CORE " " modules_core)
list(JOIN AMONTONS_MODULES_STUDY " " modules_study)
list(JOIN AMONTONS_MODULES_PROGRAMS " " modules_programs)
configure_package_config_file(cmake/amontonsConfig.cmake.in ${PROJECT_BINARY_DIR}/amontonsConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amontonsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/amontonsConfig.cmake ${PROJECT_BINARY_DIR}/amontonsConfigVersion.cmake
  DESTINATION ${package_dir})

# The pkg-config file finds its prefix from its own place, so that `cmake --install --prefix` needs no new configuration.
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# What the archive needs goes to Libs.private and not to Requires.private, which would ask every user for the .pc files, and the
# linker for the static closure, of libraries that are linked dynamically anyway.
set(private_libraries ${AMONTONS_CORE_LDFLAGS})
if(AMONTONS_WITH_STUDY)
  list(APPEND private_libraries ${AMONTONS_FEATURES_LDFLAGS})
endif()
if(AMONTONS_WITH_CLP)
  list(APPEND private_libraries ${AMONTONS_PROGRAMS_LDFLAGS})
endif()
if(AMONTONS_WITH_MATIO)
  list(APPEND private_libraries ${AMONTONS_MATLAB_LDFLAGS})
endif()
if(AMONTONS_WITH_SUNDIALS)
  list(APPEND private_libraries -lsundials_cvode)
endif()
if(AMONTONS_WITH_SPARSE)
  list(APPEND private_libraries -larpack -ldmumps_seq -lzmumps_seq)
endif()
list(APPEND private_libraries ${OpenMP_C_FLAGS} -lm)
list(JOIN private_libraries " " private_libraries)
# Programs find the library again wherever it was installed. Distributions, whose loaders look into their own folder anyway, turn
# it off.
option(AMONTONS_PKGCONFIG_RPATH "pkg-config tells the linker to note where the library lies" ON)
set(pc_rpath "")
if(AMONTONS_PKGCONFIG_RPATH)
  set(pc_rpath "-Wl,-rpath,\${libdir} ")
endif()
configure_file(cmake/amontons.pc.in ${PROJECT_BINARY_DIR}/amontons.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/amontons.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET amontons_command)
  install(TARGETS amontons_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY gallery DESTINATION ${CMAKE_INSTALL_DATADIR}/amontons)
  if(AMONTONS_WITH_LAB)
    install(DIRECTORY src/lab/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/amontons/lab)
  endif()
  install(FILES src/app/completion/amontons.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME amontons)
  install(FILES src/app/completion/_amontons DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES docs/amontons.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endif()
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${doc_dir})
install(DIRECTORY docs/ DESTINATION ${doc_dir}/docs PATTERN "*.1" EXCLUDE)
install(DIRECTORY examples DESTINATION ${doc_dir})
