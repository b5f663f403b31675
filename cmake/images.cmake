# Readers of images, for the command and for the Python package: PNG_FOUND, TURBOJPEG.
find_package(PNG QUIET)
find_path(TURBOJPEG_INCLUDE_DIR turbojpeg.h)
find_library(TURBOJPEG_LIBRARY turbojpeg)
set(TURBOJPEG OFF)
if(TURBOJPEG_INCLUDE_DIR AND TURBOJPEG_LIBRARY)
  set(TURBOJPEG ON)
endif()

# webnn_use_images(TARGET SCOPE): the definitions and libraries of tools/webnn/data/{png,jpeg}.cpp.
function(webnn_use_images target scope)
  target_compile_definitions(${target} ${scope}
    WEBNN_WITH_PNG=$<BOOL:${PNG_FOUND}> WEBNN_WITH_JPEG=$<BOOL:${TURBOJPEG}>)
  if(PNG_FOUND)
    target_link_libraries(${target} PRIVATE PNG::PNG)
  endif()
  if(TURBOJPEG)
    target_include_directories(${target} PRIVATE ${TURBOJPEG_INCLUDE_DIR})
    target_link_libraries(${target} PRIVATE ${TURBOJPEG_LIBRARY})
  endif()
endfunction()
