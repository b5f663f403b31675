// Statistics and elements of a tensor, as a page has them.
#pragma once

#include "tools/webnn/common/output.h"
#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {

/// With nine significant digits, which are enough for float32. JSON has no other way to write what
/// is not finite than a string: "NaN", "Infinity", "-Infinity".
Json number_json(double value);
/// With a histogram of 32 intervals.
Json statistics_json(const MLOperandDescriptor& d, std::span<const std::byte> bytes);

}  // namespace webnn::inline v0_1::tool
