# The sources of the binding in this folder, and the component for language models that they need.
file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
set(language_models "")
if("lm" IN_LIST WEBNN_BUILT_COMPONENTS)
  set(language_models webnn::lm)
  list(FILTER sources EXCLUDE REGEX "/without_lm\\.cpp$")
  file(GLOB lm_sources CONFIGURE_DEPENDS src/lm/*.cpp)
  list(APPEND sources ${lm_sources})
endif()
