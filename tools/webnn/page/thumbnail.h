// Small images of tensors of rank 4.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/webnn/data/values.h"

namespace webnn::inline v0_1::tool {

/// A picture of the first item of a batch: one image of three channels or of one, or the first
/// channels side by side in gray. The least finite element is 0, the greatest 255; what is not
/// finite is 0.
struct Thumbnail {
  std::uint32_t width = 0, height = 0;
  std::uint32_t channels = 1;        ///< those of a pixel: 1 or 3
  std::uint32_t images = 1, of = 1;  ///< so many channels of so many, or 1 of 1
  std::vector<std::byte> pixels{};   ///< one image after the other
};

/// Whether a tensor of that shape has images of several rows and columns.
bool has_thumbnail(const Dims& shape);
/// Whether its channels are in front of rows and columns. Layouts are nhwc, nchw or empty: what is
/// forced, else what fits a square, else what is usual in the graph, else what makes the channels
/// the smaller of the two sizes in question.
bool channels_first(const Dims& shape, const std::string& forced, const std::string& usual);
/// With at most so many bytes of pixels.
Thumbnail thumbnail_of(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                       bool channels_first, std::size_t limit);

}  // namespace webnn::inline v0_1::tool
