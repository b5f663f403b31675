# What can be switched; everything that is found is on.

option(BUILD_SHARED_LIBS "a shared library instead of a static one" OFF)
option(WEBNN_BUILD_TESTS "the tests" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_BUILD_EXAMPLES "the examples" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_BUILD_BENCH "the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_BUILD_TOOLS "the command webnn, where CLI11 and nlohmann-json are found"
       ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_INSTALL "the rules of cmake --install" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_SIMD "our own vector kernels, with Highway" ON)
option(WEBNN_ONEDNN "kernels of oneDNN" ON)
option(WEBNN_XNNPACK "kernels of XNNPACK" ON)
option(WEBNN_NODE "the addon for Node, where Node is found" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_FUZZ "fuzz targets, with clang" OFF)
option(WEBNN_WERROR "warnings are errors" OFF)
set(WEBNN_SANITIZE "" CACHE STRING "sanitizers: address,undefined or thread")

add_library(webnn_warnings INTERFACE)
target_compile_options(webnn_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${WEBNN_WERROR}>:-Werror>)
if(WEBNN_SANITIZE)
  add_compile_options(-fsanitize=${WEBNN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEBNN_SANITIZE})
  if(WEBNN_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(WEBNN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
