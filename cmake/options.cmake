# What can be switched; everything that is found is on. The lists of backends and of formats are the
# only ones: options, sources, tests, the installed package and the summary follow from them.

# The folders of src/kernels, in the default order in which a context asks them.
set(WEBNN_BACKENDS simd onednn xnnpack reference)
# The folders of src/formats, each a library webnn::<name>.
set(WEBNN_FORMATS safetensors gguf tflite executorch onnx text graphinfo nnrt compiled)

# The folders of src that stand on formats, each a library webnn::<name>.
set(WEBNN_COMPONENTS lm)

set(WEBNN_OPERATORS "" CACHE STRING
    "sections of operators that have kernels, files of include/webnn/ops without .h; all by default")
set(WEBNN_DATA_TYPES "" CACHE STRING
    "data types that have reference kernels, such as float32;uint8; all by default")
set(WEBNN_INSTRUCTION_SETS "" CACHE STRING
    "instruction sets of x86-64 that have vector kernels; all by default: sse4;avx2;avx512")
option(WEBNN_OPEN_DIMENSIONS "inputs with open dimensions, whose sizes a run chooses" ON)
option(WEBNN_DRAFT2023 "webnn/draft2023.h, which the tests need" ON)
option(WEBNN_STANDALONE
       "what is built needs no shared library but those of C: others are linked in or left out" OFF)
option(WEBNN_SMALL "less code: what does not compute is optimized for size, and programs link what they use" OFF)
set(webnn_tuning ON)
if(WEBNN_SMALL)
  set(webnn_tuning OFF)
endif()
option(WEBNN_KERNEL_TUNING "kernels chosen by measurement: MLContextOptions::tuning" ${webnn_tuning})
option(WEBNN_NATIVE "vector kernels for the processor of this machine alone" OFF)
option(BUILD_SHARED_LIBS "shared libraries instead of static ones" OFF)
option(WEBNN_BUILD_TESTS "the tests" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_BUILD_EXAMPLES "the examples" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_BUILD_BENCH "the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_BUILD_TOOLS "the command webnn, where CLI11 and nlohmann-json are found"
       ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_INSTALL "the rules of cmake --install" ${PROJECT_IS_TOP_LEVEL})
foreach(name IN LISTS WEBNN_BACKENDS WEBNN_FORMATS)
  string(TOUPPER ${name} upper)
  if(NOT name STREQUAL "reference")  # supports every operator, so it is always there
    option(WEBNN_${upper} "src/kernels/${name} or src/formats/${name}, where its library is found" ON)
  endif()
endforeach()
option(WEBNN_LM "language models, where PCRE2, utf8proc and nlohmann-json are found" ON)
option(WEBNN_C "the C interface, libwebnn_c" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_PYTHON "the Python package, where Python and pybind11 are found" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_NODE "the addon for Node, where Node is found" ${PROJECT_IS_TOP_LEVEL})
option(WEBNN_FUZZ "fuzz targets, with clang" OFF)
option(WEBNN_WERROR "warnings are errors" OFF)
option(WEBNN_UNITY "the compiler reads several files of the command and of tests at once" ON)
set(WEBNN_SANITIZE "" CACHE STRING "sanitizers: address,undefined or thread")

# What reads, writes and checks, and computes little, is compiled a third faster so. GCC 14 then takes
# the copy of a list of one number for one of two.
set(webnn_less_optimized $<$<CONFIG:Release>:-O1>
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")

# Each function by itself, so that a program takes those that it uses. Kernels have options of their own.
if(WEBNN_SMALL)
  string(REPLACE "-O3" "-Os" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(LINKER:--gc-sections)
  set(webnn_less_optimized)
endif()

# Elsewhere every processor has an instruction that rounds a sum and a product at once, and GCC would
# choose where: kernels say it where they want it.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
  add_compile_options(-ffp-contract=off)
endif()

if(WEBNN_STANDALONE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

add_library(webnn_warnings INTERFACE)
target_compile_options(webnn_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${WEBNN_WERROR}>:-Werror>)
if(WEBNN_SMALL)  # overloads for operators that a small library does not know
  target_compile_options(webnn_warnings INTERFACE -Wno-unused-function)
endif()
# GCC 12 warns of its own header where Eigen uses AVX-512: https://gcc.gnu.org/PR105593.
if(WEBNN_NATIVE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(webnn_warnings INTERFACE -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
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
