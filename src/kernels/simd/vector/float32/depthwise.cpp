#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/depthwise.cpp"
#include <hwy/foreach_target.h>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/depthwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

// By blocks of channels that keep the rows of the image that are read again in L1.
void depthwise_image(const Depthwise& g, int first, int last, const float* x, float* y,
                     const float* residual) {
  const std::size_t fit =
      (24 << 10) / (sizeof(float) * (to_size(g.kernel_h) + 1) * to_size(g.width));
  const std::size_t vectors =
      std::max<std::size_t>(1, (fit + to_size(vector_lanes) / 2) / to_size(vector_lanes));
  const int block =
      static_cast<int>(std::min(vectors, to_size(g.channels / vector_lanes + 1))) * vector_lanes;
  const bool whole = !residual && g.epilogue.clamps();
  Depthwise bare = g;
  if (!whole) bare.epilogue = {};
  for (int c = 0; c < g.channels;) {
    // The last block has at least one vector, so that it can overlap.
    const int rest = g.channels - c;
    const int here = rest < block + vector_lanes ? rest : block;
    const Image in{const_cast<float*>(x) + c, to_size(g.width) * to_size(g.channels),
                   to_size(g.channels)};
    const Image out{y + c, to_size(g.out_width) * to_size(g.channels), to_size(g.channels)};
    depthwise_rows(bare, c, c + here, first, last, in, out);
    c += here;
  }
  if (whole) return;
  const std::size_t row = to_size(g.out_width) * to_size(g.channels), at = to_size(first) * row;
  finish(g.epilogue, last - first, row, row, y + at, residual ? residual + at : nullptr);
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(depthwise_image);
void depthwise(const Depthwise& g, int first, int last, const float* x, float* y,
               const float* residual) {
  HWY_DYNAMIC_DISPATCH(depthwise_image)(g, first, last, x, y, residual);
}
}  // namespace webnn::simd
#endif
