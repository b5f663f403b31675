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

Resampling resampling_of(const Call&);
/// The scales, one for each axis; empty where sizes are given.
std::vector<double> scales_of(const Call&);

__extension__ using Wide = __int128;  // products of sizes and of a scale's digits

/// numerator / denominator, which is positive. A float is one, a ratio of two sizes too.
struct Fraction {
  std::int64_t numerator = 1, denominator = 1;

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool operator<(const Fraction& other) const {
    return Wide{numerator} * other.denominator < Wide{other.numerator} * denominator;
  }
};

/// One axis that changes its size.
struct ResizedAxis {
  std::uint32_t axis = 0, in = 1, out = 1;
  Fraction scale{};
  double start = 0, end = 1;  // of the region of interest, which are floats

  /// Whether out is in * scale, not rounded.
  bool exact() const { return Wide{in} * scale.numerator == Wide{out} * scale.denominator; }
};

/// For each element of the result `taps` places of the input and their weights, and whether it is
/// outside of the input, where tf_crop_and_resize has another value.
struct Taps {
  std::size_t taps = 1;
  Ints places{};
  std::vector<float> weights{};
  std::vector<bool> outside{};
};

/// A finite float greater than 0 as a fraction; nothing when 63 bits do not hold it.
std::optional<Fraction> fraction_of(float);

/// Coordinates are computed in integers, so that ties and whole numbers are met exactly.
Taps taps_of(const Call&, const Resampling&, const ResizedAxis&);

/// Resize of an input with open dimensions, or to sizes that follow from such.
MLOperand resized_open(const Call&, const MLOperand& x, const Resampling&);

}  // namespace webnn::inline v0_1::onnx
