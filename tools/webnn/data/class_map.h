// Segmentation: the class of each pixel, and pictures of it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {

struct ClassMap {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> classes{};  ///< that of each pixel, rows from top to bottom
};

/// The best class of each pixel of an output with scores, [1, height, width, classes] or
/// [1, classes, height, width]; the values themselves of integers that are not quantized,
/// [1, height, width], [height, width] or with a channel of 1. The 1 in front may be missing.
/// `layout` is nhwc, nchw, or empty: a square shows which dimensions are height and width, else the
/// classes are the smaller of the two in question. Nothing for other shapes and for one pixel.
std::optional<ClassMap> class_map(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                                  bool quantized, const std::string& layout);

/// The colors of the VOC data sets: black, maroon, green, olive, navy, ...
std::array<std::uint8_t, 3> class_color(std::uint32_t index);

/// A PNG file: of a class map its colors; of one channel that is not a class map, gray from its
/// least to its largest value. Throws CommandError for other shapes, `name` being the output's.
std::vector<std::byte> picture_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                                  bool quantized, const std::string& layout,
                                  const std::string& name);

/// How many pixels each class has, most first.
std::vector<std::pair<std::uint32_t, std::size_t>> pixels_of_classes(const ClassMap& map);

}  // namespace webnn::inline v0_1::tool
