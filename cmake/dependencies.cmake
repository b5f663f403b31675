# From the distribution. A backend whose library is missing is left out, and the summary says so.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

# webnn_uses(library target): a private dependency. Who links an installed static webnn needs the
# library by name, and nothing else of it; webnn.pc lists the same names.
function(webnn_uses library target)
  target_link_libraries(webnn PRIVATE $<BUILD_INTERFACE:${target}> $<INSTALL_INTERFACE:${library}>)
  set_property(TARGET webnn APPEND PROPERTY WEBNN_LIBRARIES -l${library})
endfunction()

set(WEBNN_WITH_SIMD OFF)
set(WEBNN_WITH_ONEDNN OFF)
set(WEBNN_WITH_XNNPACK OFF)

if(WEBNN_SIMD)
  find_package(hwy QUIET)
  if(NOT hwy_FOUND)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(hwy QUIET IMPORTED_TARGET libhwy)
      if(hwy_FOUND)
        add_library(hwy::hwy ALIAS PkgConfig::hwy)
      endif()
    endif()
  endif()
  if(hwy_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/src/kernels/simd/CMakeLists.txt)
    set(WEBNN_WITH_SIMD ON)
  endif()
endif()

if(WEBNN_ONEDNN)
  # Not with its CMake package, which insists on OpenCL where oneDNN was built for GPUs too.
  find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
  find_library(ONEDNN_LIBRARY dnnl)
  if(ONEDNN_INCLUDE_DIR AND ONEDNN_LIBRARY
     AND EXISTS ${PROJECT_SOURCE_DIR}/src/kernels/onednn/CMakeLists.txt)
    set(WEBNN_WITH_ONEDNN ON)
    if(NOT TARGET DNNL::dnnl)
      add_library(DNNL::dnnl UNKNOWN IMPORTED)
      set_target_properties(DNNL::dnnl PROPERTIES
        IMPORTED_LOCATION ${ONEDNN_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ONEDNN_INCLUDE_DIR})
    endif()
  endif()
endif()

if(WEBNN_XNNPACK)
  find_path(XNNPACK_INCLUDE_DIR xnnpack.h)
  find_path(PTHREADPOOL_INCLUDE_DIR pthreadpool.h)  # xnnpack.h includes it
  find_library(XNNPACK_LIBRARY XNNPACK)
  if(XNNPACK_INCLUDE_DIR AND PTHREADPOOL_INCLUDE_DIR AND XNNPACK_LIBRARY
     AND EXISTS ${PROJECT_SOURCE_DIR}/src/kernels/xnnpack/CMakeLists.txt)
    set(WEBNN_WITH_XNNPACK ON)
    if(NOT TARGET XNNPACK::XNNPACK)
      add_library(XNNPACK::XNNPACK UNKNOWN IMPORTED)
      set_target_properties(XNNPACK::XNNPACK PROPERTIES
        IMPORTED_LOCATION ${XNNPACK_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES "${XNNPACK_INCLUDE_DIR};${PTHREADPOOL_INCLUDE_DIR}")
    endif()
  endif()
endif()

foreach(backend SIMD ONEDNN XNNPACK)
  message(STATUS "webnn: backend ${backend}: ${WEBNN_WITH_${backend}}")
endforeach()
