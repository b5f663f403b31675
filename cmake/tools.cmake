# What the command webnn needs: WEBNN_WITH_COMMAND when CLI11 and nlohmann-json are found. Without
# libpng or libjpeg-turbo it refuses such an image with a message.
set(WEBNN_WITH_COMMAND OFF)
find_package(CLI11 QUIET)
find_package(nlohmann_json QUIET)
if(CLI11_FOUND AND nlohmann_json_FOUND)
  set(WEBNN_WITH_COMMAND ON)
endif()
message(STATUS "webnn: command webnn: ${WEBNN_WITH_COMMAND}")

include(cmake/images.cmake)
if(WEBNN_WITH_COMMAND)
  message(STATUS "webnn: images for the command: PNG: ${PNG_FOUND}, JPEG: ${TURBOJPEG}, BMP: ON")
endif()
