// Where another backend is likely to have a faster kernel for a dense convolution.
#pragma once

#include "src/kernels/common/convolution.h"

namespace webnn::inline v0_1::simd {

/// Why another backend is likely to be faster, or nothing. oneDNN leaves out the padding and costs
/// a little more for each call; else both come close to what the processor can do. Its vectors have
/// inputs in their lanes, so it gains nothing with few of them, and it reads weights several times,
/// which takes longer than all else for a few pixels and weights from beyond the caches. `gathers`:
/// the kernel copies what each element of the filter sees. `pixel_stride`: floats from one pixel to
/// the next that it reads.
const char* slower_because(const Convolution& s, bool gathers, std::size_t pixel_stride);

}  // namespace webnn::inline v0_1::simd
