# cmake -DCOMPILER= -DSTANDARD= -DSOURCE= -DWORK= -P warnings.cmake: a program that includes every
# public header compiles without a warning.
find_program(compiler ${COMPILER} NO_CACHE)
if(NOT compiler)
  message("skipped: there is no ${COMPILER}")
  return()
endif()
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include ${SOURCE}/include/webnn/*.h)
list(LENGTH headers count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} headers are found")
endif()
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>")
list(JOIN headers "\n" text)
set(file ${WORK}/every_header.${COMPILER}.${STANDARD}.cpp)
file(WRITE ${file} "${text}\n")
# Not -isystem: warnings of system headers are not shown.
execute_process(
  COMMAND ${compiler} -std=${STANDARD} -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion
          -Wsign-conversion -Wshadow -Werror -I${SOURCE}/include ${file}
  RESULT_VARIABLE status ERROR_VARIABLE output)
if(status)
  string(SUBSTRING "${output}" 0 6000 output)
  message(FATAL_ERROR "${output}")
endif()
message("${count} headers")
