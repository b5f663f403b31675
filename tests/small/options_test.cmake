# The lists of what a build has: cmake -DSOURCE=FOLDER -DFOLDER=FOLDER -P options_test.cmake
cmake_minimum_required(VERSION 3.21)

# expect(RESULT PATTERN argument...): whether the options are taken (0) or not (1), and what is printed.
function(expect result pattern)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/options -B ${FOLDER} -DSOURCE=${SOURCE}
            -UWEBNN_* ${ARGN}
    RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(REGEX REPLACE "[ \n]+" " " out "${out}")
  if(NOT got EQUAL result OR NOT out MATCHES "${pattern}")
    message(SEND_ERROR "${ARGN}: ${got}, ${out}")
  endif()
endfunction()

# contains(PATTERN): the header of the options of the last case.
function(contains pattern)
  file(READ ${FOLDER}/generated/build_options.h text)
  if(NOT text MATCHES "${pattern}")
    message(SEND_ERROR "${pattern} is not in ${text}")
  endif()
endfunction()

expect(0 "sets sse4;avx2;avx512 ")
contains("small_library = false")
expect(0 "sets sse4;avx2;avx512 " -DWEBNN_SMALL=ON)
contains("small_library = true")
expect(0 "sets" -DWEBNN_SMALL=ON -DWEBNN_ONNX=ON)
contains("small_library = false")
expect(0 "sets sse4 " -DWEBNN_SMALL=ON -DWEBNN_INSTRUCTION_SETS=sse4 -DWEBNN_OPERATORS=binary,clamp)
contains("\"softmax\"")
expect(0 "sets avx2;avx512 " -DWEBNN_INSTRUCTION_SETS=avx2,avx512)
expect(1 "WEBNN_INSTRUCTION_SETS: there is no instruction set avx; there are sse4, avx2, avx512"
       -DWEBNN_INSTRUCTION_SETS=avx)
expect(1 "WEBNN_OPERATORS: there is no section conv; there are arg_min_max," -DWEBNN_OPERATORS=conv)
expect(1 "WEBNN_DATA_TYPES: there is no data type float; there are float32," -DWEBNN_DATA_TYPES=float)
