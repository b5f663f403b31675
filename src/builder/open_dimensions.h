// Builds without open dimensions. Private.
#pragma once

#include <optional>

#include "webnn/error.h"

namespace webnn::inline v0_1 {

/// Why an input with open dimensions is refused, in a build with WEBNN_OPEN_DIMENSIONS=OFF.
std::optional<Failure> open_dimensions_left_out();

}  // namespace webnn::inline v0_1
