// Which poolings are taken, and how they are cut.
#include "src/kernels/common/cut.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/gemm.h"
#include "src/kernels/simd/vector/pool.h"

namespace webnn::simd {

Lowering lower(const ops::averagePool2d& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a pooling"};
  const MLPool2dOptions& o = op.options;
  if (o.layout != MLInputOperandLayout::nhwc) return Refusal{"only nhwc"};
  const shape::Image in = shape::image(op.input.shape(), o.layout);
  const bool padded =
      std::any_of(o.padding.begin(), o.padding.end(), [](auto v) { return v != 0; });
  const bool global = !o.windowDimensions || ((*o.windowDimensions)[0] == in.height &&
                                              (*o.windowDimensions)[1] == in.width);
  if (padded || !global) return Refusal{"only the mean of whole images"};
  const std::size_t pixels = in.height * in.width, channels = in.channels,
                    n = static_cast<std::size_t>(lanes());
  const Cut c = cut(channels, static_cast<double>(pixels) / 8, n);
  const std::size_t batch = in.batch;
  return Kernel{
      .name = "mean", .tiles = c.tiles(), .run = [=](Range r, const Buffers& b, std::byte*) {
        for (std::size_t i = 0; i < batch; ++i)
          average(b.in<float>() + i * pixels * channels, pixels, channels, c.begin(r), c.end(r),
                  b.out<float>() + i * channels);
      }};
}

}  // namespace webnn::simd
