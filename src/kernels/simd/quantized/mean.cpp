// int8 average pooling, and means over contiguous dimensions.
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/quantized/windows.h"

namespace webnn::inline v0_1::simd {
namespace {

/// f(window, its first byte, the result's) for each pixel of the result.
template <class F>
Lowering windows_kernel(const QuantizedChain& c, const Int8Windows& w, const char* name, F f) {
  const QuantizedOperand& x = c.operands[0];
  if (!x.x || x.constant() || !x.q.is_activation()) return Refusal{"quantized: not of 8 bits"};
  const double window = static_cast<double>(std::min(w.down.window, w.down.in)) *
                        static_cast<double>(std::min(w.across.window, w.across.in));
  if (window > 1 << 22) return Refusal{"quantized: the window is too large"};
  if (!(double{x.q.scale[0]} / double{c.result.scale[0]} < 1 << 20))
    return Refusal{"the result's scale is too small"};
  return Candidate{.name = name,
                   .tiles = w.c.tiles(),
                   .run = [w, f, slot = static_cast<std::size_t>(x.slot)](Range r, const Buffers& b,
                                                                          std::byte*) {
                     w.run(r, b.in<std::uint8_t>(slot), b.out<std::uint8_t>(), f);
                   }};
}

/// As floats: those of few elements as the composition computes them, since their means are often
/// halfway between integers, and what it rounds decides. The sum of more is exact.
Lowering lower_float_mean(const QuantizedChain& c, const Int8Windows& w, const char* name) {
  constexpr std::size_t few = 16;
  const QuantizationParams& q = c.operands[0].q;
  const double unit = double{q.scale[0]} / double{c.result.scale[0]};
  const Int8FloatAverage average{q.flip(), q.shifted_zero(), q.scale[0], c.result.scale[0]};
  return windows_kernel(
      c, w, name,
      [=, result = int8_result(c), channels = w.channels](const Int8Window& window,
                                                          const std::uint8_t* x, std::uint8_t* y) {
        const std::size_t count = window.rows * window.columns;
        if (count > 0 && count <= few)
          return int8_float_average(window, x, channels, average, result, y);
        const auto scale = static_cast<float>(count ? unit / static_cast<double>(count) : 0);
        int8_float_mean(window, x, channels, average.flip,
                        -static_cast<std::int32_t>(count) * average.zero, scale, result, y);
      });
}

/// In fixed point: the sum of the distances from the zero point, or of the integers, as TensorFlow
/// Lite has it where the scale does not change: the two round differently.
Lowering lower_mean(const QuantizedChain& c, const Int8Windows& w, bool integers,
                    const char* name) {
  if (c.requantization == Requantization::floats) return lower_float_mean(c, w, name);
  const QuantizationParams& q = c.operands[0].q;
  const double unit = double{q.scale[0]} / double{c.result.scale[0]};
  Int8Result result = int8_result(c);
  if (integers) result.zero -= q.zero[0];
  return windows_kernel(c, w, name,
                        [unit, result, channels = w.channels, flip = q.flip(),
                         zero = integers ? q.flip() : q.shifted_zero()](
                            const Int8Window& window, const std::uint8_t* x, std::uint8_t* y) {
                          const auto count =
                              static_cast<std::int32_t>(window.rows * window.columns);
                          const FixedPoint scale = fixed_point(count ? unit / count : 0);
                          int8_mean(window, x, channels, flip, -count * zero, scale, result, y);
                        });
}

}  // namespace

Lowering lower_quantized(const ops::averagePool2d& op, const QuantizedChain& c, Int8DotProduct) {
  const MLPool2dOptions& o = op.options;
  if (o.layout != MLInputOperandLayout::nhwc) return Refusal{"quantized: only nhwc"};
  const Dims &in = op.input.shape(), &out = c.op.output().shape();
  const Int8Windows w =
      int8_windows(pooling_side(0, o, in, out), pooling_side(1, o, in, out), in[3], in[0]);
  constexpr auto name = "int8 average pool";
  const bool keeps_unit = c.operands[0].q == c.result;
  if (!keeps_unit || c.requantization == Requantization::floats)
    return lower_mean(c, w, false, name);
  return windows_kernel(c, w, name,
                        [result = int8_result(c), channels = w.channels](
                            const Int8Window& window, const std::uint8_t* x, std::uint8_t* y) {
                          if (window.rows * window.columns > 0)
                            int8_average(window, x, channels, result, y);
                          else int8_mean(window, x, channels, result.flip, 0, {}, result, y);
                        });
}

Lowering lower_quantized(const ops::reduceMean& op, const QuantizedChain& c, Int8DotProduct) {
  const Dims& shape = op.input.shape();
  std::vector<bool> reduced(shape.size(), !op.options.axes);
  if (op.options.axes)
    for (std::uint32_t a : *op.options.axes) reduced[a] = true;
  // Dimensions before, between and after those that are reduced.
  std::uint64_t outer = 1, count = 1, inner = 1;
  int part = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (part == 0 && reduced[d]) part = 1;
    else if (part == 1 && !reduced[d]) part = 2;
    else if (part == 2 && reduced[d]) return Refusal{"quantized: the axes are not contiguous"};
    (part == 0 ? outer : part == 1 ? count : inner) *= shape[d];
  }
  const auto n = static_cast<std::int64_t>(count);
  const PoolingSide down{n, 1, n, 0, 1, 1}, across{1, 1, 1, 0, 1, 1};
  const bool of_image = shape.size() == 4 && reduced == std::vector{false, true, true, false};
  const bool same_unit = c.operands[0].q.scale == c.result.scale;
  return lower_mean(c, int8_windows(down, across, inner, outer),
                    of_image && op.options.keepDimensions && same_unit, "int8 mean");
}

}  // namespace webnn::inline v0_1::simd
