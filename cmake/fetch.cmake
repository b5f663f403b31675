# {fmt} and Eigen, without which the library is not built: those of the project around this one, those
# that are installed, or, with WEBNN_FETCH_DEPENDENCIES, those of their repositories.
option(WEBNN_FETCH_DEPENDENCIES "fetch {fmt} and Eigen where they are not installed" OFF)

# webnn_fetch(NAME argument...): what FetchContent_Declare() takes.
function(webnn_fetch name)
  if(NOT WEBNN_FETCH_DEPENDENCIES)
    message(FATAL_ERROR "webnn needs ${name}, which is not installed. The option "
                        "WEBNN_FETCH_DEPENDENCIES fetches it: -DWEBNN_FETCH_DEPENDENCIES=ON")
  endif()
  include(FetchContent)
  FetchContent_Declare(${name} ${ARGN})
  FetchContent_MakeAvailable(${name})
  string(TOLOWER ${name} lower)
  set(${lower}_SOURCE_DIR ${${lower}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

if(NOT TARGET fmt::fmt-header-only)
  find_package(fmt QUIET)
endif()
if(NOT TARGET fmt::fmt-header-only)
  set(FMT_INSTALL OFF)
  webnn_fetch(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt GIT_TAG 10.2.1 GIT_SHALLOW ON)
  set(fmt_VERSION 10.2.1)
endif()

if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 QUIET NO_MODULE)
endif()
if(NOT TARGET Eigen3::Eigen)
  find_path(EIGEN3_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3)
  if(NOT EIGEN3_INCLUDE_DIR)
    # Its headers alone: this folder of it has no CMakeLists.txt.
    webnn_fetch(Eigen GIT_REPOSITORY https://gitlab.com/libeigen/eigen GIT_TAG 3.4.0
                GIT_SHALLOW ON SOURCE_SUBDIR Eigen)
    set(EIGEN3_INCLUDE_DIR ${eigen_SOURCE_DIR})
    set(Eigen3_VERSION 3.4.0)
  endif()
  add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
  target_include_directories(Eigen3::Eigen INTERFACE ${EIGEN3_INCLUDE_DIR})
endif()
