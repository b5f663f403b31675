// Where another backend is likely to have a faster kernel for a dense convolution.
#pragma once

#include "src/kernels/common/convolution.h"

namespace webnn::inline v0_1::simd {

/// Why another backend is likely to be faster, or nothing. oneDNN leaves out the padding and costs
/// a little more for each call; else both come close to what the processor can do. Its vectors have
/// inputs in their lanes, so it gains nothing with few of them.
const char* slower_because(const Convolution& s);

}  // namespace webnn::inline v0_1::simd
