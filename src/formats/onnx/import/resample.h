// Where the elements of a resized axis come from. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// The attributes of Resize.
struct Resampling {
  enum class Mode { nearest, linear, cubic } mode = Mode::nearest;
  std::string_view coordinates = "half_pixel", nearest = "round_prefer_floor";
  double cubic = -0.75, extrapolation = 0;
  bool antialias = false, exclude_outside = false;
};

/// One axis that changes its size.
struct ResizedAxis {
  std::uint32_t axis = 0, in = 1, out = 1;
  double scale = 1;
  bool exact = true;          // out is in * scale, not rounded
  double start = 0, end = 1;  // of the region of interest
};

/// For each element of the result `taps` places of the input and their weights, and whether it is
/// outside of the input, where tf_crop_and_resize has another value.
struct Taps {
  std::size_t taps = 1;
  Ints places{};
  std::vector<float> weights{};
  std::vector<bool> outside{};
};

Taps taps_of(const Call&, const Resampling&, const ResizedAxis&);

}  // namespace webnn::inline v0_1::onnx
