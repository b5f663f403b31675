# What the command webnn needs: WEBNN_WITH_COMMAND when CLI11 and nlohmann-json are found.
set(WEBNN_WITH_COMMAND OFF)
find_package(CLI11 QUIET)
find_package(nlohmann_json QUIET)
if(CLI11_FOUND AND nlohmann_json_FOUND)
  set(WEBNN_WITH_COMMAND ON)
endif()
message(STATUS "webnn: command webnn: ${WEBNN_WITH_COMMAND}")
