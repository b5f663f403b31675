# Node, its headers and node-addon-api: WEBNN_WITH_NODE when all are found. Nothing is downloaded;
# `npm install --prefix bindings/node`, or Debian's package, brings node-addon-api.
set(WEBNN_WITH_NODE OFF)
set(node_missing "")
find_program(NODE_EXECUTABLE NAMES node nodejs)
if(NODE_EXECUTABLE)
  get_filename_component(node_prefix ${NODE_EXECUTABLE} REALPATH)
  get_filename_component(node_prefix ${node_prefix} DIRECTORY)
  get_filename_component(node_prefix ${node_prefix} DIRECTORY)
  find_path(WEBNN_NODE_HEADERS node_api.h
            HINTS ${node_prefix}/include ${PROJECT_SOURCE_DIR}/bindings/node/node_modules
            PATH_SUFFIXES node nodejs/src nodejs node-api-headers/include)
  find_path(WEBNN_NODE_ADDON_API napi.h
            HINTS ${PROJECT_SOURCE_DIR}/bindings/node/node_modules /usr/share/nodejs
                  ${node_prefix}/lib/node_modules
            PATH_SUFFIXES node-addon-api)
endif()
if(NOT NODE_EXECUTABLE)
  set(node_missing " (no Node)")
elseif(NOT WEBNN_NODE_HEADERS)
  set(node_missing " (no headers of Node)")
elseif(NOT WEBNN_NODE_ADDON_API)
  set(node_missing " (no node-addon-api: npm install --prefix bindings/node)")
else()
  set(WEBNN_WITH_NODE ON)
  # What process.platform and process.arch say, which npm compares with the fields of package.json.
  execute_process(COMMAND ${NODE_EXECUTABLE} -p "process.platform + ';' + process.arch"
                  OUTPUT_VARIABLE platform OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  list(GET platform 0 WEBNN_NODE_OS)
  list(GET platform 1 WEBNN_NODE_CPU)
endif()
message(STATUS "webnn: Node addon: ${WEBNN_WITH_NODE}${node_missing}")

# webnn_node_environment(test): a sanitizer's runtime has to be loaded before Node, which is built
# without it. What V8's heap refers to looks lost to it, so leaks are not looked for (the test of
# memory does), and accesses by Node's own code are none of its business.
function(webnn_node_environment test)
  set(environment ${ARGN})
  foreach(runtime asan tsan)
    if((runtime STREQUAL asan AND WEBNN_SANITIZE MATCHES address)
       OR (runtime STREQUAL tsan AND WEBNN_SANITIZE MATCHES thread))
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${runtime}.so
                      OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
      list(APPEND environment LD_PRELOAD=${library} ASAN_OPTIONS=detect_leaks=0
           TSAN_OPTIONS=ignore_noninstrumented_modules=1)
    endif()
  endforeach()
  set_property(TEST "${test}" PROPERTY ENVIRONMENT "${environment}")
endfunction()
