// Convolutions of bytes as products of the windows of each row of the result.
#pragma once

#include <optional>

#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/quantized/padded_rows.h"
#include "src/kernels/simd/quantized/product.h"

namespace webnn::inline v0_1::simd {

/// Items are rows of the result.
struct ConvolutionRows {
  Convolution s;
  PaddedRows padded;
  bool copies;  ///< rows are copied with their padding
  Int8Panels weights;
  Partition c{};

  std::size_t row_bytes() const {
    return copies ? padded.row_bytes() : to_size(s.width) * to_size(s.channels);
  }
  std::size_t copied_bytes() const { return copies ? padded.bytes(padded.rows_at_once()) : 0; }
  std::size_t scratch() const { return copied_bytes() + weights.scratch(); }
  int grain() const { return copies && s.kernel_height > 1 && c.each == 1 ? 2 : 1; }

  /// Whether the rows of the result are so short that blocks of registers have pixels of several.
  bool are_short() const {
    return to_size(s.out_width) < 2 * row_block(Int8DotProduct::instruction);
  }
  /// The lines of the result at a time, at most.
  int lines_at_once() const { return copies ? padded.rows_at_once() : s.out_height; }
  /// The rows of a call, at most.
  std::size_t max_rows() const {
    return to_size(s.out_width) * (are_short() ? to_size(lines_at_once()) : 1);
  }

  /// product(g, its rows, row of all images, number of rows, group) for one row of the result, or
  /// for several short ones, and each group.
  template <class F>
  void run(Range range, const Buffers& b, const std::uint8_t* image, std::uint8_t zero,
           std::uint8_t* scratch, F product) const {
    const std::size_t size = to_size(s.height) * to_size(s.width) * to_size(s.channels);
    const std::size_t height = to_size(s.out_height);
    const auto at_once = to_size(lines_at_once());
    std::byte* const for_tiles = reinterpret_cast<std::byte*>(scratch) + copied_bytes();
    const std::size_t end = c.end(range);
    for (std::size_t row = c.begin(range); row < end;) {
      const std::size_t first = row % height;
      const std::size_t rows = std::min({end - row, height - first, at_once});
      const std::uint8_t* x = image + row / height * size;
      if (copies) padded.copy(x, static_cast<int>(first), static_cast<int>(rows), zero, scratch);
      x = copies ? scratch : x + first * to_size(s.stride_y) * row_bytes();
      for (std::size_t group = 0; group < weights.groups; ++group) {
        Int8Gemm g = weights.gemm(b, for_tiles, group);
        g.readable = copies;
        g.x_stride = to_size(s.stride_x) * to_size(s.channels);
        const std::size_t line = to_size(s.stride_y) * row_bytes(),
                          together = are_short() ? rows : 1;
        if (together > 1) g.line_rows = to_size(s.out_width), g.line_stride = line;
        for (std::size_t r = 0; r < rows; r += together)
          product(g, x + r * line + group * to_size(s.group_inputs()), row + r, together, group);
      }
      row += rows;
    }
  }
};

/// A kernel of `work`, which has such rows and run(range, buffers, scratch).
template <class Work> Candidate convolution_kernel(Work work, std::string name) {
  name += work.rows.weights.text();
  std::vector<WeightBlock> weights = std::exchange(work.rows.weights.weights, {});
  const auto w = std::make_shared<const Work>(std::move(work));
  return Candidate{.name = std::move(name),
                   .tiles = w->rows.c.tiles(),
                   .grain = w->rows.grain(),
                   .scratch = w->rows.scratch(),
                   .weights = std::move(weights),
                   .run = [w](Range r, const Buffers& b, std::byte* scratch) {
                     w->run(r, b, reinterpret_cast<std::uint8_t*>(scratch));
                   }};
}

/// Or why not.
std::variant<ConvolutionRows, Refusal> convolution_rows(const Convolution& s,
                                                        const Int8Weights& weights,
                                                        Int8DotProduct dot_product,
                                                        ColumnOrder order);

}  // namespace webnn::inline v0_1::simd
