# find_package(webnn CONFIG), add_subdirectory / FetchContent and pkg-config find the same targets.
# A format is a component: webnn-<name>-targets.cmake and webnn-<name>.pc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/webnn)
file(RELATIVE_PATH webnn_prefix "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" webnn_prefix "${webnn_prefix}")

# webnn_install_target(TARGETS NAME): libraries and how CMake finds them, NAME-targets.cmake.
function(webnn_install_target targets name)
  install(TARGETS ${targets} EXPORT ${name}
          ARCHIVE COMPONENT ${CMAKE_INSTALL_DEFAULT_COMPONENT_NAME}
          LIBRARY COMPONENT library NAMELINK_COMPONENT ${CMAKE_INSTALL_DEFAULT_COMPONENT_NAME}
          RUNTIME COMPONENT library)
  install(EXPORT ${name} NAMESPACE webnn:: DESTINATION ${package} FILE ${name}-targets.cmake)
endfunction()

# webnn_install_pc(NAME DESCRIPTION REQUIRES LIBRARIES...): NAME.pc of the library of that name.
function(webnn_install_pc name description requires)
  string(REPLACE "-" "_" file ${name})
  set(libraries "-l${file}")
  set(private_libraries "")
  list(JOIN ARGN " " others)
  if(BUILD_SHARED_LIBS)
    set(private_libraries "${others}")
  else()  # there is only the static library, also without --static
    if(NOT APPLE)
      string(PREPEND libraries "-Wl,--exclude-libs,lib${file}.a ")
    endif()
    if(others)
      string(APPEND libraries " ${others}")
    endif()
  endif()
  configure_file(cmake/webnn.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

webnn_install_target(webnn webnn)
get_target_property(libraries webnn WEBNN_LIBRARIES)
if(WEBNN_SMALL)
  list(PREPEND libraries -Wl,--gc-sections)
endif()
webnn_install_pc(webnn "${PROJECT_DESCRIPTION}" "" ${libraries} -lstdc++)

set(format_headers)
foreach(format IN LISTS WEBNN_FORMATS WEBNN_COMPONENTS ITEMS models)
  list(APPEND format_headers PATTERN ${format}.h EXCLUDE PATTERN ${format} EXCLUDE)
endforeach()
if(NOT WEBNN_DRAFT2023)
  list(APPEND format_headers PATTERN draft2023.h EXCLUDE)
endif()
install(DIRECTORY include/webnn TYPE INCLUDE ${format_headers} PATTERN c EXCLUDE)

set(common "")
if(NOT BUILD_SHARED_LIBS)
  webnn_install_target("webnn_formats_files;webnn_formats_common" webnn-formats)
  set(common -lwebnn_formats_common -lwebnn_formats_files)
endif()
set(webnn_components_used "")  # set(webnn_<component>_uses <component>...)
foreach(format IN LISTS WEBNN_BUILT_FORMATS WEBNN_BUILT_COMPONENTS ITEMS models)
  webnn_install_target(webnn_${format} webnn-${format})
  set(requires "webnn = ${PROJECT_VERSION}")
  get_target_property(used webnn_${format} WEBNN_FORMATS_USED)
  foreach(other IN LISTS used)
    if(other)
      string(APPEND requires ", webnn-${other} = ${PROJECT_VERSION}")
      string(APPEND webnn_components_used "list(APPEND webnn_${format}_uses ${other})\n")
    endif()
  endforeach()
  get_target_property(libraries webnn_${format} WEBNN_FORMAT_LIBRARIES)
  if(NOT libraries)
    set(libraries "")
  endif()
  webnn_install_pc(webnn-${format} "The component ${format} of webnn" "${requires}" ${common}
                   ${libraries})
  install(FILES include/webnn/${format}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/webnn)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/webnn/${format})
    install(DIRECTORY include/webnn/${format} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/webnn)
  endif()
endforeach()

set(webnn_built_components ${WEBNN_BUILT_FORMATS} ${WEBNN_BUILT_COMPONENTS} models)
if(WEBNN_C)
  # A program in C needs none of the above. What all programs need for CMake goes with this smaller component.
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME c_development)
  list(APPEND webnn_built_components c)
  webnn_install_target(webnn_c webnn-c)
  webnn_install_pc(webnn-c "The Web Neural Network API for C" "")
  install(DIRECTORY include/webnn/c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/webnn)
endif()

configure_package_config_file(cmake/webnn-config.cmake.in webnn-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(webnn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/webnn-config.cmake
              ${PROJECT_BINARY_DIR}/webnn-config-version.cmake
        DESTINATION ${package})

# Debian packages have them in their own folders (cmake/package.cmake).
foreach(artifact IN LISTS WEBNN_ARTIFACTS)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/notices/${artifact} DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT notices_${artifact})
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT notices)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
