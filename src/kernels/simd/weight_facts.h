// What decides how weights of few bits are packed.
#pragma once

#include <optional>

#include "src/graph/constant_facts.h"
#include "src/kernels/common/small_weights.h"

namespace webnn::inline v0_1::simd {

/// Integers without their signs' offset: those that are packed are signed.
constexpr std::int32_t offset_of(MLOperandDataType type) {
  return type == uint4 ? 8 : type == uint8 ? 128 : 0;
}

/// The largest float of which finite scales are multiples of -127 to 127, if there is one.
std::optional<float> common_factor(std::span<const float> scales);
/// Such floats that are known for each so many scales of a node, or null.
std::shared_ptr<const ScaleFactors> known_factors(const Node& expands, std::size_t each);

/// What a kernel has to know about the values of the weights.
struct WeightFacts {
  bool numbers = true;  ///< no float8e4m3 is NaN; others need not be known
  bool ordinary_scales = true;
  bool rounds = false;       ///< to float16: not each integer times its scale is one
  bool half_scales = false;  ///< each has a float16
  bool byte_scales = false;  ///< they are bytes times a float for all of a panel
  bool six_bits = false;     ///< the integers are from -32 to 31
  bool zeros = false;        ///< zero points differ, or are not 0 for floats
  std::int32_t zero = 0;     ///< of all, if not
};
/// The facts of a node that makes floats of them, times alpha. `scales_of_panel`: how many scales
/// that follow one another a panel has for each column; 0 if they do not.
WeightFacts facts_of_weights(const Node& expands, float alpha, std::size_t scales_of_panel);

}  // namespace webnn::inline v0_1::simd
