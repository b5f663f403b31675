# What the core library and the libraries of the formats have in common.

# webnn_library(TARGET FILE...): a library whose shared build shows names of namespace webnn alone.
function(webnn_library target)
  add_library(${target} ${ARGN})
  string(REGEX REPLACE "^webnn_" "" name ${target})
  add_library(webnn::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR})
  if(CMAKE_CXX_FLAGS MATCHES "-D ?_GLIBCXX_DEBUG( |$)")
    target_compile_definitions(${target} PUBLIC WEBNN_GLIBCXX_DEBUG)
  endif()
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
    POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
    # The objects of the static and of the shared library are the same.
    VISIBILITY_INLINES_HIDDEN ON DEFINE_SYMBOL "")
  if(UNIX AND NOT APPLE)
    # A shared library shows names of namespace webnn and nothing of what it is made of; what it
    # needs and does not link is found when it is linked, unless a sanitizer's runtime comes later.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
    target_link_options(${target} PRIVATE
      LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map
      $<$<STREQUAL:${WEBNN_SANITIZE},>:LINKER:-z,defs>)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  endif()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:webnn_warnings>)
  webnn_hidden_in_users(${target})
endfunction()

# webnn_hidden_in_users(TARGET): a shared library that a program makes with the static library TARGET
# does not show the names of TARGET, so that it can be in one process with another version.
function(webnn_hidden_in_users target)
  if(NOT BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
    target_link_options(${target} INTERFACE LINKER:--exclude-libs,lib${target}.a)
  endif()
endfunction()

# webnn_uses(LIBRARY TARGET): a private dependency of the core library. Who links an installed static
# webnn needs the library by name, and nothing else of it; webnn.pc lists the same names.
function(webnn_uses library target)
  target_link_libraries(webnn PRIVATE $<BUILD_INTERFACE:${target}> $<INSTALL_INTERFACE:${library}>)
  set_property(TARGET webnn APPEND PROPERTY WEBNN_LIBRARIES -l${library})
endfunction()

# webnn_format(NAME [FILES_ALONE] FILE...): the library webnn_NAME of the format NAME, webnn::NAME. The
# format may use what is private to the core library; namespace webnn has it in a shared library too.
# FILES_ALONE: of what formats share it uses files, and not what translates graphs.
function(webnn_format name)
  cmake_parse_arguments(PARSE_ARGV 1 format "FILES_ALONE" "" "")
  webnn_library(webnn_${name} ${format_UNPARSED_ARGUMENTS})
  target_compile_options(webnn_${name} PRIVATE ${webnn_less_optimized})
  set(shared webnn_formats_common)
  if(format_FILES_ALONE)
    set(shared webnn_formats_files)
  endif()
  target_link_libraries(webnn_${name} PUBLIC webnn PRIVATE ${shared})
  if(UNIX AND NOT APPLE)  # shared libraries of formats find those that they use beside them
    set_target_properties(webnn_${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endfunction()

# webnn_format_uses(NAME OTHER...): formats that the library of the format NAME needs, by their
# public headers.
function(webnn_format_uses name)
  foreach(other ${ARGN})
    target_link_libraries(webnn_${name} PUBLIC webnn_${other})
  endforeach()
  set_property(TARGET webnn_${name} PROPERTY WEBNN_FORMATS_USED ${ARGN})
endfunction()
