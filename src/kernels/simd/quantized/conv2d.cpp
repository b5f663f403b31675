// int8 convolutions: products, convolutions over padded rows, depthwise.
#include "src/kernels/common/convolution.h"

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/quantized/depthwise.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/quantized/padded_rows.h"
#include "src/kernels/simd/quantized/product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// Whether every window lies within the image and rows need not be copied.
bool inside(const Convolution& s) {
  return s.pad_top == 0 && s.pad_left == 0 &&
         (s.out_height - 1) * s.stride_y + (s.kernel_height - 1) * s.dilation_y < s.height &&
         (s.out_width - 1) * s.stride_x + (s.kernel_width - 1) * s.dilation_x < s.width;
}

/// Items are rows of the result.
struct Int8Convolution {
  Convolution s;
  PaddedRows padded;
  bool copies;
  Int8Panels weights;
  std::uint8_t flip;
  std::size_t slot;
  Int8Result result;
  Partition c{};

  std::size_t row_bytes() const {
    return copies ? padded.row_bytes() : to_size(s.width) * to_size(s.channels);
  }

  /// Rows [first, first + rows) of one image; x: the row that the first of them begins with.
  void run_rows(int rows, const Buffers& b, const std::uint8_t* x, std::uint8_t* y) const {
    const std::size_t y_row = to_size(s.out_width) * to_size(s.out_channels);
    for (std::size_t group = 0; group < weights.groups; ++group) {
      Int8Gemm g = weights.gemm(b, group);
      g.flip = flip;
      g.result = result;
      g.readable = copies;
      g.x_stride = to_size(s.stride_x) * to_size(s.channels);
      g.y_stride = to_size(s.out_channels);
      for (int r = 0; r < rows; ++r)
        int8_gemm(
            g, to_size(s.out_width), 0, weights.panels(),
            x + to_size(r) * to_size(s.stride_y) * row_bytes() + group * to_size(s.group_inputs()),
            y + to_size(r) * y_row + group * weights.columns);
    }
  }
  void run(Range range, const Buffers& b, std::uint8_t* scratch) const {
    const std::size_t image = to_size(s.height) * to_size(s.width) * to_size(s.channels);
    const std::size_t y_row = to_size(s.out_width) * to_size(s.out_channels),
                      height = to_size(s.out_height);
    const auto at_once = copies ? to_size(padded.rows_at_once()) : height;
    const std::size_t end = c.end(range);
    for (std::size_t row = c.begin(range); row < end;) {
      const std::size_t first = row % height;
      const std::size_t rows = std::min({end - row, height - first, at_once});
      const std::uint8_t* x = b.in<std::uint8_t>(slot) + row / height * image;
      if (copies) padded.copy(x, static_cast<int>(first), static_cast<int>(rows), scratch);
      run_rows(static_cast<int>(rows), b,
               copies ? scratch : x + first * to_size(s.stride_y) * row_bytes(),
               b.out<std::uint8_t>() + row * y_row);
      row += rows;
    }
  }
};

/// Sets the offsets of the contiguous parts of a window.
void set_offsets(Int8Convolution& w) {
  const Convolution& s = w.s;
  std::size_t next = 0;
  const bool whole_rows = w.weights.segments == to_size(s.kernel_height);
  for (int ky = 0; ky < s.kernel_height; ++ky)
    for (int kx = 0; kx < (whole_rows ? 1 : s.kernel_width); ++kx)
      w.weights.offsets[next++] = to_size(ky) * to_size(s.dilation_y) * w.row_bytes() +
                                  to_size(kx) * to_size(s.dilation_x) * to_size(s.channels);
}

Lowering int8_convolution(const Convolution& s, const Int8Weights& weights, const QuantizedChain& c,
                          Int8DotProduct dot_product) {
  const QuantizedOperand& x = c.operands[0];
  const bool together = s.groups == 1 && (s.dilation_x == 1 || s.kernel_width == 1);
  const std::size_t segments = to_size(s.kernel_height) * (together ? 1 : to_size(s.kernel_width));
  if (!inside(s) && !PaddedRows::affordable(s)) return Refusal{"needs too much scratch"};
  if (wasteful(weights, to_size(s.groups), segments))
    return Refusal{"quantized: the groups are too small"};
  auto w = std::make_shared<Int8Convolution>(
      Int8Convolution{.s = s,
                      .padded = PaddedRows(s, 1, static_cast<std::uint8_t>(x.q.zero[0])),
                      .copies = !inside(s),
                      .weights = int8_panels(weights, to_size(s.groups), segments, dot_product),
                      .flip = x.q.flip(),
                      .slot = to_size(x.slot),
                      .result = int8_result(c)});
  set_offsets(*w);
  const std::size_t scratch = w->copies ? w->padded.bytes(w->padded.rows_at_once()) : 0;
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  const double macs = s.macs() / s.batch / s.out_height;
  w->c = partition(to_size(s.batch) * to_size(s.out_height), macs / int8_macs_per_operation + 64);
  const bool halo = w->copies && s.kernel_height > 1 && w->c.each == 1;
  std::vector<WeightBlock> packed = std::exchange(w->weights.weights, {});
  return Candidate{.name = "int8 conv",
                   .tiles = w->c.tiles(),
                   .grain = halo ? 2 : 1,
                   .scratch = scratch,
                   .weights = std::move(packed),
                   .run = [w](Range r, const Buffers& b, std::byte* scratch) {
                     w->run(r, b, reinterpret_cast<std::uint8_t*>(scratch));
                   }};
}

/// The scales of a filter are one or those of its output channels.
bool by_output(const QuantizedOperand& filter, MLConv2dFilterOperandLayout layout, int channels) {
  using enum MLConv2dFilterOperandLayout;
  if (filter.q.per_tensor()) return true;
  if (filter.q.shape.size() != 4 || filter.q.scale.size() != to_size(channels)) return false;
  return to_size(channels) == filter.q.shape[layout == oihw || layout == ohwi ? 0 : 3];
}

}  // namespace

Lowering lower_quantized(const ops::conv2d& op, const QuantizedChain& c,
                         Int8DotProduct dot_product) {
  const auto& o = op.options;
  const QuantizedOperand &x = c.operands[0], &filter = c.operands[1];
  const QuantizedOperand* bias = c.operands.size() > 2 ? &c.operands[2] : nullptr;
  if (o.inputLayout != MLInputOperandLayout::nhwc) return Refusal{"quantized: only nhwc"};
  if (!x.x || x.constant() || !x.q.is_activation())
    return Refusal{"quantized: the input is not of 8 bits"};
  if (!filter.x || !filter.constant()) return Refusal{"quantized: the filter is not constant"};
  if (bias && bias->x && !bias->constant()) return Refusal{"quantized: the bias is not constant"};
  const auto s = convolution_of(op, c.op.output());
  if (!s) return Refusal{"a size is above 2^24"};
  if (!by_output(filter, o.filterLayout, s->out_channels))
    return Refusal{"quantized: the scales of the filter are not of its output channels"};
  const std::size_t columns = to_size(s->out_channels),
                    k = element_count(filter.as_read.shape()) / columns;
  const auto integers = [filter, layout = o.filterLayout] {
    return filter_integers(filter, layout);
  };
  auto made = int8_weights(
      columns, k,
      {filter,
       layout_text(" filter", static_cast<int>(o.filterLayout), s->kernel_height, s->kernel_width),
       integers},
      x.q, bias, c.result);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  const Int8Weights& weights = std::get<Int8Weights>(made);
  if (s->depthwise()) return int8_depthwise_convolution(*s, weights, c, dot_product);
  if (s->pointwise() && !wasteful(weights, 1, 1))
    return int8_product(int8_panels(weights, 1, 1, dot_product), s->pixels(), x.q.flip(), x.slot,
                        int8_result(c), "int8 conv 1x1");
  return int8_convolution(*s, weights, c, dot_product);
}

}  // namespace webnn::inline v0_1::simd
