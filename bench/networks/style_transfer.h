// A network that repaints an image (https://arxiv.org/abs/1603.08155), with instance
// normalization and reflection padding.
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// How the image becomes larger again: nearest neighbors and a convolution, or a transposed
/// convolution of 3x3 and stride 2.
enum class Upsampling { nearest, transposed };

/// A 9x9 and two 3x3 convolutions of stride 2, five residual blocks of 128 channels, two
/// upsamplings, a 9x9 convolution. "input" [1, 3, 224, 224] (nchw) or [1, 224, 224, 3] (nhwc) ->
/// an image of the same shape.
MLOperand style_transfer(MLGraphBuilder& builder, MLInputOperandLayout layout,
                         Upsampling upsampling, std::uint32_t seed = 7,
                         const WeightSink& sink = {});

}  // namespace webnn::inline v0_1::bench
