// What of the backend a build may leave out besides operators.
#pragma once

#include "left_out.h"  // generated

namespace webnn::inline v0_1::simd {

/// Products of bfloat16: without the data type (WEBNN_DATA_TYPES), its accuracy level is that of
/// float32.
inline constexpr bool bfloat16_built = built_types.contains(bfloat16);

}  // namespace webnn::inline v0_1::simd
