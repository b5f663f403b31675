# Readers of images, for the command and for the Python package: PNG_FOUND, TURBOJPEG.
find_package(PNG QUIET)
find_path(TURBOJPEG_INCLUDE_DIR turbojpeg.h)
find_library(TURBOJPEG_LIBRARY turbojpeg)
set(TURBOJPEG OFF)
if(TURBOJPEG_INCLUDE_DIR AND TURBOJPEG_LIBRARY)
  set(TURBOJPEG ON)
endif()
