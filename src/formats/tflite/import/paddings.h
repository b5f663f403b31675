// Paddings as the format writes them. Private.
#pragma once

#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {

struct Paddings {
  SizeList before{}, after{};
};
/// An input [rank, 2] that is known or follows from shapes.
Paddings paddings_of(const Call& c, std::size_t input, std::size_t rank);

/// The stored element that stands for 0.
MLNumber zero_of(const TensorInfo& t);

}  // namespace webnn::inline v0_1::tflite
