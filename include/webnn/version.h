// The version of the library.
#pragma once

#include "webnn/language.h"

#define WEBNN_VERSION_MAJOR 0
#define WEBNN_VERSION_MINOR 1
#define WEBNN_VERSION_PATCH 0

namespace webnn::inline v0_1 {

/// "0.1.0": the version that was linked, which need not be the one that was compiled against.
const char* version();

}  // namespace webnn::inline v0_1
