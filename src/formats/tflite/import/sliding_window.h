// Padding of sliding windows as the format has it. Private.
#pragma once

#include "src/formats/common/same_padding.h"
#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {

using formats::same_padding;
using formats::WindowAxis;

/// What is added around an image [batch, height, width, channels]. It follows from the sizes of
/// SAME, which may be open.
struct WindowPadding {
  Size top = 0, bottom = 0, left = 0, right = 0;

  SizeList list() const { return {top, bottom, left, right}; }
  /// As WebNN has it.
  Dims dims() const { return formats::dims_of(list()); }
};

/// SAME: as many results as the image has strides, with the odd one at the end.
WindowPadding padding_of(const Call& call, schema::Padding padding, const MLOperand& image,
                         WindowAxis height, WindowAxis width);

/// The image with the elements around it that are known only in a run, which the window then no
/// longer has; the image itself when they are known.
MLOperand with_open_padding(const Call& call, const MLOperand& image, WindowPadding& padding,
                            MLNumber value);

}  // namespace webnn::inline v0_1::tflite
