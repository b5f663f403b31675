#include "src/kernels/simd/quantized/convolution_rows.h"

#include "src/kernels/simd/cost.h"

namespace webnn::inline v0_1::simd {
namespace {

/// Whether every window lies within the image and rows need not be copied.
bool inside(const Convolution& s) {
  return s.pad_top == 0 && s.pad_left == 0 &&
         (s.out_height - 1) * s.stride_y + (s.kernel_height - 1) * s.dilation_y < s.height &&
         (s.out_width - 1) * s.stride_x + (s.kernel_width - 1) * s.dilation_x < s.width;
}

/// Sets the offsets of the contiguous parts of a window.
void set_offsets(ConvolutionRows& w) {
  const Convolution& s = w.s;
  std::size_t next = 0;
  const bool whole_rows = w.weights.segments == to_size(s.kernel_height);
  for (int ky = 0; ky < s.kernel_height; ++ky)
    for (int kx = 0; kx < (whole_rows ? 1 : s.kernel_width); ++kx)
      w.weights.offsets[next++] = to_size(ky) * to_size(s.dilation_y) * w.row_bytes() +
                                  to_size(kx) * to_size(s.dilation_x) * to_size(s.channels);
}

}  // namespace

std::variant<ConvolutionRows, Refusal> convolution_rows(const Convolution& s,
                                                        const Int8Weights& weights,
                                                        Int8DotProduct dot_product,
                                                        ColumnOrder order) {
  const bool together = s.groups == 1 && (s.dilation_x == 1 || s.kernel_width == 1);
  const std::size_t segments = to_size(s.kernel_height) * (together ? 1 : to_size(s.kernel_width));
  if (!inside(s) && !PaddedRows::affordable(s)) return Refusal{"needs too much scratch"};
  if (wasteful(weights, to_size(s.groups), segments))
    return Refusal{"quantized: the groups are too small"};
  ConvolutionRows w{
      .s = s,
      .padded = PaddedRows(s, 1),
      .copies = !inside(s),
      .weights = int8_panels(weights, to_size(s.groups), segments, dot_product, order)};
  set_offsets(w);
  w.weights.choose_tiles(w.max_rows());
  if (w.scratch() > max_scratch) return Refusal{"needs too much scratch"};
  const double macs = s.macs() / s.batch / s.out_height;
  w.c = partition(to_size(s.batch) * to_size(s.out_height),
                  macs / int8_macs_per_operation(w.weights.dot_product) + 64);
  return w;
}

}  // namespace webnn::inline v0_1::simd
