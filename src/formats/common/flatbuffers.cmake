# webnn_flatbuffers(FORMAT SCHEMA...): webnn_FORMAT_schema, what flatc makes of the schemas of a
# format, for its library and for its tests. Sets webnn_has_flatbuffers, to OFF where FlatBuffers is
# not installed.
function(webnn_flatbuffers format)
  find_program(FLATC_EXECUTABLE flatc)
  find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h)
  if(NOT FLATC_EXECUTABLE OR NOT FLATBUFFERS_INCLUDE_DIR)
    set(webnn_has_flatbuffers OFF PARENT_SCOPE)
    return()
  endif()
  set(webnn_has_flatbuffers ON PARENT_SCOPE)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  set(headers)
  foreach(name IN LISTS ARGN)
    set(schema ${CMAKE_CURRENT_SOURCE_DIR}/${name}.fbs)
    add_custom_command(
      OUTPUT ${generated}/${name}_generated.h
      COMMAND ${FLATC_EXECUTABLE} --cpp --scoped-enums --gen-object-api -o ${generated} ${schema}
      DEPENDS ${schema} VERBATIM)
    # The schema as data, for what shows the fields of a table by their names.
    add_custom_command(
      OUTPUT ${generated}/embedded/${name}_bfbs_generated.h
      COMMAND ${FLATC_EXECUTABLE} --cpp --bfbs-gen-embed -o ${generated}/embedded ${schema}
      DEPENDS ${schema} VERBATIM)
    list(APPEND headers ${generated}/${name}_generated.h
                        ${generated}/embedded/${name}_bfbs_generated.h)
  endforeach()
  add_custom_target(webnn_${format}_schema_header DEPENDS ${headers})
  add_library(webnn_${format}_schema INTERFACE)
  add_dependencies(webnn_${format}_schema webnn_${format}_schema_header)
  target_include_directories(webnn_${format}_schema SYSTEM INTERFACE
                             ${generated} ${FLATBUFFERS_INCLUDE_DIR})
endfunction()
