# find_package(webnn CONFIG), add_subdirectory / FetchContent and pkg-config find the same target.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/webnn)
install(TARGETS webnn EXPORT webnn ARCHIVE LIBRARY RUNTIME)
install(DIRECTORY include/webnn TYPE INCLUDE)
install(EXPORT webnn NAMESPACE webnn:: DESTINATION ${package} FILE webnn-targets.cmake)

configure_package_config_file(cmake/webnn-config.cmake.in webnn-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(webnn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/webnn-config.cmake
              ${PROJECT_BINARY_DIR}/webnn-config-version.cmake
        DESTINATION ${package})

get_target_property(webnn_private_libraries webnn WEBNN_LIBRARIES)
list(JOIN webnn_private_libraries " " webnn_private_libraries)
get_target_property(webnn_type webnn TYPE)
set(webnn_public_libraries "")
if(webnn_type STREQUAL STATIC_LIBRARY)
  # pkg-config without --static must work too: there is only the static library.
  set(webnn_public_libraries "${webnn_private_libraries} -lstdc++")
endif()
file(RELATIVE_PATH webnn_prefix "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" webnn_prefix "${webnn_prefix}")
configure_file(cmake/webnn.pc.in webnn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/webnn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
