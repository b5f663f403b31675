// Images and convolutions on them, for the operators and for patterns of them.
#pragma once

#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {

struct Image {
  MLOperand x;
  bool nhwc;

  std::uint32_t axis() const { return nhwc ? 3 : 1; }
  std::uint32_t channels() const { return x.shape()[axis()]; }
  std::uint32_t height() const { return x.shape()[nhwc ? 1 : 2]; }
  std::uint32_t width() const { return x.shape()[nhwc ? 2 : 3]; }
  MLInputOperandLayout layout() const {
    return nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw;
  }
};

struct Convolution {
  std::uint32_t groups = 1, outputs = 1, height = 1, width = 1;
  Dims padding{0, 0, 0, 0}, strides{1, 1}, dilations{1, 1};
};

/// Any operand of rank 4, in any layout.
Image random_image(Generator& g, DataTypes types);
/// One that fits the image.
Convolution random_convolution(Generator& g, const Image& i);
struct Filter {
  Dims shape;
  MLConv2dOptions options;  // without a bias
};
/// The filter of the convolution, in any layout.
Filter random_filter(Generator& g, const Image& i, const Convolution& c);
Image convolved(Generator& g, const Image& i, const Convolution& c);

}  // namespace webnn::inline v0_1::test
