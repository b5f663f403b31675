// int8 convolutions: products, convolutions over padded rows, depthwise.
#include "src/kernels/common/convolution.h"

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/quantized/convolution_rows.h"
#include "src/kernels/simd/quantized/depthwise.h"
#include "src/kernels/simd/quantized/lower.h"

namespace webnn::inline v0_1::simd {
namespace {

struct Int8Convolution {
  ConvolutionRows rows;
  std::uint8_t flip, zero;
  std::size_t slot;
  Int8Result result;

  void run(Range range, const Buffers& b, std::uint8_t* scratch) const {
    const std::size_t channels = to_size(rows.s.out_channels), width = to_size(rows.s.out_width);
    rows.run(range, b, b.in<std::uint8_t>(slot), zero, scratch,
             [&](Int8Gemm g, const std::uint8_t* x, std::size_t row, std::size_t lines,
                 std::size_t group) {
               g.flip = flip;
               g.result = result;
               g.y_stride = channels;
               int8_gemm(
                   g, lines * width, 0, rows.weights.panels(), x,
                   b.out<std::uint8_t>() + row * width * channels + group * rows.weights.columns);
             });
  }
};

Lowering int8_convolution(const Convolution& s, const Int8Weights& weights, const QuantizedChain& c,
                          Int8DotProduct dot_product) {
  const QuantizedOperand& x = c.operands[0];
  auto rows = convolution_rows(s, weights, dot_product, ColumnOrder::interleaved);
  if (const auto* refusal = std::get_if<Refusal>(&rows)) return *refusal;
  return convolution_kernel(Int8Convolution{.rows = std::get<ConvolutionRows>(std::move(rows)),
                                            .flip = x.q.flip(),
                                            .zero = static_cast<std::uint8_t>(x.q.zero[0]),
                                            .slot = to_size(x.slot),
                                            .result = int8_result(c)},
                            "int8 conv");
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
    return Refusal{"quantized: the filter does not have one scale for each output channel"};
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
      c, bias);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  const Int8Weights& weights = std::get<Int8Weights>(made);
  if (s->depthwise()) return int8_depthwise_convolution(*s, weights, c, dot_product);
  if (s->pointwise() && !wasteful(weights, 1, 1))
    return int8_product(int8_panels(weights, 1, 1, dot_product), s->pixels(), x.q.flip(), x.slot,
                        int8_result(c), "int8 conv 1x1");
  return int8_convolution(*s, weights, c, dot_product);
}

}  // namespace webnn::inline v0_1::simd
