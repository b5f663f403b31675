# Parts of the library that a build can leave out. In place of their files it has one of
# src/runtime/left_out, which refuses what needs them.

# webnn_replaceable(OPTION NAME FILE...): without the option, left_out/NAME.cpp takes the place of the files.
function(webnn_replaceable option name)
  if(${option})
    return()
  endif()
  list(TRANSFORM ARGN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp")
  list(REMOVE_ITEM webnn_sources ${ARGN})
  list(APPEND webnn_sources ${PROJECT_SOURCE_DIR}/src/runtime/left_out/${name}.cpp)
  set(webnn_sources ${webnn_sources} PARENT_SCOPE)
endfunction()
webnn_replaceable(WEBNN_OPEN_DIMENSIONS open_dimensions
                  builder/local_shape_trials builder/local_trials builder/size_search builder/sized_graph
                  builder/sized_loop builder/trials builder/trials_vary
                  runtime/affine_sizes runtime/given_shapes runtime/growing_form runtime/growing_kernels
                  runtime/interpolation runtime/joined_kernels runtime/length_analysis
                  runtime/length_operators runtime/length_values runtime/specializations)
webnn_replaceable(WEBNN_KERNEL_TUNING tuning runtime/measure_kernels runtime/tuning)
