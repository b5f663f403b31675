// How far apart results are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "webnn/operand.h"

namespace webnn::inline v0_1::tool {

/// Differences between elements of one operand. A unit in the last place is a step from one value
/// of the data type to the next; a number and a NaN are infinitely far apart.
struct Distances {
  std::size_t count = 0, different = 0;
  double largest_ulp = 0;
  double largest = 0;           ///< the largest |a - b|
  double largest_relative = 0;  ///< its ratio to the largest |a|
  std::size_t where = 0;        ///< the place of the largest distance in ulps
  double a = 0, b = 0;          ///< the elements there
  /// How many elements are 0, 1, 2-3, 4-7, ... units apart; the last counts all that are further.
  std::vector<std::size_t> histogram{};
};
Distances distances(const MLOperandDescriptor& d, std::span<const std::byte> a,
                    std::span<const std::byte> b);

/// How alike the values are as a whole, for a float result and its quantized counterpart.
struct Similarity {
  double cosine = 1;  ///< that of the angle between them: 1 for the same direction, and for zeros
  /// The signal a to the noise a - b, in decibels; infinite if there is none.
  double signal_to_noise = 0;
};
Similarity similarity(std::span<const double> a, std::span<const double> b);

/// "1", "2-3", "4-7", ...
std::string bucket_name(std::size_t bucket);
inline constexpr std::size_t buckets = 34;

}  // namespace webnn::inline v0_1::tool
