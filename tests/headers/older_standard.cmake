# cmake -DCOMPILER= -DSOURCE= -DWORK= -P older_standard.cmake: a compiler in C++17 mode prints one
# sentence, and nothing of what follows from it.
find_program(compiler ${COMPILER} NO_CACHE)
if(NOT compiler)
  message("skipped: there is no ${COMPILER}")
  return()
endif()
file(GLOB headers RELATIVE ${SOURCE}/include ${SOURCE}/include/webnn/*.h
     ${SOURCE}/include/webnn/lm/*.h)
foreach(header ${headers})
  string(MAKE_C_IDENTIFIER "${COMPILER} ${header}" name)
  set(file ${WORK}/${name}.cpp)
  file(WRITE ${file} "#include <${header}>\n")
  execute_process(COMMAND ${compiler} -std=c++17 -fsyntax-only
                          -I${SOURCE}/include ${file}
                  RESULT_VARIABLE status ERROR_VARIABLE output)
  file(REMOVE ${file})
  # The second one ends the compilation.
  string(REGEX MATCHALL "error: [^\n]*" errors "${output}")
  list(LENGTH errors count)
  if(header MATCHES "rules[.]h|version[.]h" AND NOT status)
    continue()  # they need nothing of C++20
  endif()
  if(NOT status OR NOT count EQUAL 2 OR NOT output MATCHES "libwebnn needs C\\+\\+20" OR
     NOT output MATCHES "fatal error: [^\n]*webnn needs C\\+\\+20")
    string(SUBSTRING "${output}" 0 3000 output)
    message(FATAL_ERROR "${header}: ${count} errors\n${output}")
  endif()
endforeach()
