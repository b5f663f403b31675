// The type of file names.
#pragma once

#include "webnn/language.h"

#include <string>

namespace webnn::inline v0_1 {

/// The name of a file, as the system has it: on POSIX any bytes but zero, usually UTF-8. A
/// std::filesystem::path converts to it; its header is not included, because it takes longer to
/// compile than all of webnn/safetensors.h.
using Path = std::string;

}  // namespace webnn::inline v0_1
