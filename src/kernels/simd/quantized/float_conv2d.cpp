// Convolutions of integers with constant integers whose sums become floats.
#include "src/kernels/simd/quantized/convolution_rows.h"
#include "src/kernels/simd/quantized/float_product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// Where the rows of a convolution have no padding: copies of an image of ones.
class Inside {
 public:
  Inside(const ConvolutionRows& rows, bool needed) : rows_(rows) {
    if (!needed) return;
    const Convolution& s = rows.s;
    ones_.assign(to_size(s.height) * to_size(s.width) * to_size(s.channels), 1);
    copy_.resize(rows.padded.bytes(1));
  }
  /// What a row of the result reads; null if it is not needed.
  const std::uint8_t* at(std::size_t row, std::size_t group) {
    if (copy_.empty()) return nullptr;
    const auto y = static_cast<int>(row % to_size(rows_.s.out_height));
    rows_.padded.copy(ones_.data(), y, 1, 0, copy_.data());
    return copy_.data() + group * to_size(rows_.s.group_inputs());
  }

 private:
  const ConvolutionRows& rows_;
  std::vector<std::uint8_t> ones_{}, copy_{};
};

struct FloatConvolution {
  ConvolutionRows rows;
  FloatTail tail;

  void run(Range range, const Buffers& b, std::uint8_t* scratch) const {
    const std::size_t width = to_size(rows.s.out_width);
    const bool large = tail.has_large_scale(b);  // then where a row has padding matters
    Inside inside(rows, rows.copies && large);
    rows.run(range, b, tail.x(b), tail.zero(b), scratch,
             [&](Int8Gemm g, const std::uint8_t* x, std::size_t row, std::size_t lines,
                 std::size_t group) {
               const std::size_t each = large ? 1 : lines, line = g.line_stride;
               if (large) g.line_rows = 0;
               for (std::size_t r = 0; r < lines; r += each)
                 tail.multiply(g, (row + r) * width, group * rows.weights.columns, each * width, 0,
                               rows.weights.panels(), x + r * line, b, inside.at(row + r, group));
             });
  }
};

}  // namespace

Lowering lower_float_convolution(const ops::conv2d& op, IntegerProduct p,
                                 Int8DotProduct dot_product) {
  const auto& o = op.options;
  if (o.inputLayout != MLInputOperandLayout::nhwc) return Refusal{"integers: only nhwc"};
  if (p.x.shape() != op.input.shape()) return Refusal{"integers: the input is reshaped"};
  const auto s = convolution_of(op, p.op.output());
  if (!s) return Refusal{"a size is above 2^24"};
  if (s->depthwise())
    return Refusal{"integers: the convolution is depthwise, and its result is float"};
  const std::size_t k = element_count(p.w_as_read.shape()) / p.columns;
  // Vectors of floats have several groups; sums of so few products of bytes are exact in them.
  constexpr int few = 8;
  constexpr std::size_t exact = 256;
  if (s->groups > 1 && s->group_outputs() <= few && s->group_inputs() == s->group_outputs() &&
      k <= exact)
    return Refusal{"integers: the groups have few channels, and the result is float"};
  const auto read = [w = p.w, shape = p.w_as_read.shape(), layout = o.filterLayout] {
    const std::vector<std::int32_t> from = integers_of(w);
    return in_ohwi(std::span<const std::int32_t>(from), ops::filter_sizes(shape, layout), layout);
  };
  const std::string order =
      layout_text(" filter", static_cast<int>(o.filterLayout), s->kernel_height, s->kernel_width);
  auto made = float_product_weights(p, k, order, read);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  const auto& weights = std::get<Int8Weights>(made);
  if (s->pointwise() && !wasteful(weights, 1, 1))
    return float_product(int8_panels(weights, 1, 1, dot_product, ColumnOrder::natural), s->pixels(),
                         std::move(p), "int8 conv 1x1");
  auto rows = convolution_rows(*s, weights, dot_product, ColumnOrder::natural);
  if (const auto* refusal = std::get_if<Refusal>(&rows)) return *refusal;
  std::string name = name_of(p, "int8 conv");
  return convolution_kernel(
      FloatConvolution{std::get<ConvolutionRows>(std::move(rows)), FloatTail(std::move(p))},
      std::move(name));
}

}  // namespace webnn::inline v0_1::simd
