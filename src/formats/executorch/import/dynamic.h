// Values that XNNPACK quantizes in every run, each row with its own scale. Private.
#pragma once

#include "src/formats/executorch/import/delegate.h"

namespace webnn::inline v0_1::executorch {

/// Rounds each row, the elements of the last `dims` dimensions of x, to 8 bits: 255 steps from the
/// smallest to the largest element, with a step at 0.
Stored quantized_in_run(Import& import, const MLOperand& x, std::uint32_t dims);

}  // namespace webnn::inline v0_1::executorch
