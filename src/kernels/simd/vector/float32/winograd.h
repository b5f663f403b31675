// The transforms of Winograd's convolutions: 3x3 filters, stride 1, tiles of 4x4 or 2x2 results.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// An nhwc convolution in tiles of size x size results. A tile sees (size + 2)^2 pixels; their
/// transform has as many positions, and the products at each position are a product of matrices
/// whose rows are tiles: [tile][input channel] x [input channel][output channel]. Tiles are counted
/// by rows of tiles, image by image; those at the right and lower edge may have fewer results.
struct Winograd {
  int size = 4;
  int height = 0, width = 0, channels = 0;
  int out_height = 0, out_width = 0, out_channels = 0;
  int pad_top = 0, pad_left = 0;
  const float* bias = nullptr;  ///< padded to whole vectors
  Epilogue epilogue{};
  /// Writes the results of a tile from the definition: some are not finite, or are near an operand
  /// that is not, which the transforms would spread over the tile. y and residual are whole; pixels
  /// begin every `pixel` floats.
  void (*direct)(const void* context, std::size_t tile, const float* x, const float* residual,
                 float* y, std::size_t pixel) = nullptr;
  const void* context = nullptr;

  std::size_t positions() const { return static_cast<std::size_t>((size + 2) * (size + 2)); }
  int tiles_down() const { return (out_height + size - 1) / size; }
  int tiles_across() const { return (out_width + size - 1) / size; }
  std::size_t tiles_of_image() const {
    return static_cast<std::size_t>(tiles_down()) * static_cast<std::size_t>(tiles_across());
  }
};

/// Transformed values of some tiles: [position][tile][channel].
struct WinogradRows {
  std::size_t row = 0, position = 0;  ///< floats between tiles, and between positions
  float* data = nullptr;              ///< of the first tile

  WinogradRows() = default;
  /// For so many tiles. The distances do not make addresses compete for the same cache sets.
  WinogradRows(std::size_t tiles, std::size_t channels);
  std::size_t floats(std::size_t positions) const { return positions * position; }
};

/// The pixels of the tiles [first, last) to `to`, whose first tile is `first`. x is the whole
/// tensor.
void winograd_input(const Winograd&, std::size_t first, std::size_t last, const float* x,
                    const WinogradRows& to);
/// The results of the tiles [first, last) from their products. x, residual and y are whole; the
/// pixels of residual and y begin every `pixel` floats.
void winograd_output(const Winograd&, std::size_t first, std::size_t last,
                     const WinogradRows& products, const float* x, const float* residual, float* y,
                     std::size_t pixel);
/// Filters [9][stride] of n outputs (whole vectors) of one input channel, transformed in double
/// precision: position i goes to `to + i * position`.
void winograd_filter(int size, const float* filter, std::size_t stride, std::size_t n, float* to,
                     std::size_t position);

}  // namespace webnn::inline v0_1::simd
