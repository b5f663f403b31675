# `cpack` in the build folder: Debian packages of what was built, and an archive for npm.
#   libwebnn<version>  the shared libraries, where BUILD_SHARED_LIBS is on; else, with the C
#                      interface, libwebnn-c1 with that
#   libwebnn-dev       headers, static libraries, CMake package, pkg-config files
#   webnn-tools        the command, its manual page and completions
#   python3-webnn      the Python package, where it was built for the Python of the system
#   webnn-native-<version>-<system>-<processor>.tar.gz   the package for Node: npm install FILE
set(CPACK_PACKAGE_NAME libwebnn)
set(CPACK_PACKAGE_VENDOR "The libwebnn authors")
# An address that no one has, by https://www.rfc-editor.org/rfc/rfc2606: a field of Debian packages
# must be one. Who publishes packages gives an address: -DCPACK_PACKAGE_CONTACT="Name <address>".
set(CPACK_PACKAGE_CONTACT "The libwebnn authors <libwebnn@localhost.invalid>" CACHE STRING
    "the maintainer of Debian packages, as in \"Name <address>\"")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
if(WEBNN_WITH_NODE)
  list(APPEND CPACK_GENERATOR TGZ)
  set(CPACK_ARCHIVE_NODE_FILE_NAME
      webnn-native-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
endif()
file(WRITE ${PROJECT_BINARY_DIR}/cpack_generator.cmake [[
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENTS_ALL node)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
]])
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/cpack_generator.cmake)

set(CPACK_COMPONENTS_ALL development)
if(BUILD_SHARED_LIBS OR WEBNN_C)
  list(APPEND CPACK_COMPONENTS_ALL library)
endif()
if(TARGET webnn_command)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
if(WEBNN_WITH_PYTHON AND Python_EXECUTABLE MATCHES "^/usr/bin/")
  list(APPEND CPACK_COMPONENTS_ALL python_debian)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")  # the extension module is of one version
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)  # of dpkg-dev: finds the packages of libraries
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # Libraries of this build are not in a package yet.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
endif()

set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libwebnn${soversion})
if(NOT BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libwebnn-c1)
endif()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwebnn-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME webnn-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PYTHON_DEBIAN_PACKAGE_NAME python3-webnn)
set(CPACK_DEBIAN_PYTHON_DEBIAN_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DEBIAN_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_python}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_DEBIAN_PACKAGE_SUGGESTS python3-distributed)
set(CPACK_DEBIAN_PYTHON_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/postinst
    ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PYTHON_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Shared libraries of libwebnn.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and libraries to build programs with libwebnn.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The command webnn: runs, measures, compares and converts models.")
set(CPACK_COMPONENT_PYTHON_DEBIAN_DESCRIPTION "The Web Neural Network API for Python, on numpy.")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES LICENSE DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  set(artifact ${component})
  if(component STREQUAL development)
    set(artifact library)
  elseif(component STREQUAL library AND NOT BUILD_SHARED_LIBS)
    set(artifact c)
  elseif(component STREQUAL python_debian)
    set(artifact python)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/notices/${artifact}/NOTICE
                ${PROJECT_BINARY_DIR}/notices/${artifact}/webnn.spdx.json
          DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
if(BUILD_SHARED_LIBS OR WEBNN_C)
  set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
endif()
if(BUILD_SHARED_LIBS)
  set(CPACK_COMPONENT_TOOLS_DEPENDS library)
  set(CPACK_COMPONENT_PYTHON_DEBIAN_DEPENDS library)
else()
  # Who links the static library links what its backends need.
  set(needed)
  foreach(pair hwy:libhwy-dev dnnl:libdnnl-dev XNNPACK:libxnnpack-dev pthreadpool:libpthreadpool-dev)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 library)
    list(GET pair 1 debian)
    if("-l${library}" IN_LIST libraries)
      list(APPEND needed ${debian})
    endif()
  endforeach()
  if("lm" IN_LIST WEBNN_BUILT_COMPONENTS)
    list(APPEND needed libpcre2-dev libutf8proc-dev)
  endif()
  list(JOIN needed ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
endif()
include(CPack)
