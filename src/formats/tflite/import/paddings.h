// Paddings as the format writes them. Private.
#pragma once

#include "src/formats/tflite/import/call.h"

namespace webnn::tflite {

struct Paddings {
  Dims before{}, after{};
};
/// An input [rank, 2] that is known.
Paddings paddings_of(const Call& c, std::size_t input, std::size_t rank);

/// What 0 is among the elements of a tensor as they are held.
MLNumber zero_of(const TensorInfo& t);

}  // namespace webnn::tflite
