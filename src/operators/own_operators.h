// Builds without the operators of operators.h. Private.
#pragma once

#include <optional>

#include "webnn/error.h"

namespace webnn::inline v0_1::operators {

/// Why there is none of them, in a build whose WEBNN_OPERATORS do not have the section custom.
std::optional<Failure> own_operators_left_out();

}  // namespace webnn::inline v0_1::operators
