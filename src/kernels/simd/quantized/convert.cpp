// dequantizeLinear and quantizeLinear by themselves, and maxPool2d of integers.
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/quantized/windows.h"

namespace webnn::inline v0_1::simd {
namespace {

bool is_byte(MLOperandDataType type) { return type == int8 || type == uint8; }

/// Scale and zero point are read when it runs: they need not be constants.
template <class F> Lowering per_tensor(const char* name, const Dims& shape, bool is_signed, F f) {
  const Partition c = partition(element_count(shape), 0.5, 64);
  return Candidate{.name = name,
                   .tiles = c.tiles(),
                   .run = [c, is_signed, f](Range r, const Buffers& b, std::byte*) {
                     const std::uint8_t bits = *b.in<std::uint8_t>(2);
                     const std::uint8_t flip = is_signed ? 0x80 : 0;
                     const std::size_t first = c.begin(r);
                     f(b, first, c.end(r) - first, *b.in<float>(1), flip, bits ^ flip);
                   }};
}

}  // namespace

Lowering lower_dequantize(const ops::dequantizeLinear& op) {
  if (!is_byte(op.input.dataType())) return Refusal{"only from 8 bits"};
  if (op.scale.dataType() != float32) return Refusal{"only float32"};
  if (element_count(op.scale.shape()) != 1) return Refusal{"only one scale"};
  return per_tensor("dequantize", op.input.shape(), op.input.dataType() == int8,
                    [](const Buffers& b, std::size_t first, std::size_t n, float scale,
                       std::uint8_t flip, std::int32_t zero) {
                      int8_dequantize(b.in<std::uint8_t>() + first, n, flip, zero, scale,
                                      b.out<float>() + first);
                    });
}

Lowering lower_quantize(const ops::quantizeLinear& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to quantizeLinear"};
  if (!is_byte(op.zeroPoint.dataType())) return Refusal{"only to 8 bits"};
  if (op.input.dataType() != float32) return Refusal{"only float32"};
  if (element_count(op.scale.shape()) != 1) return Refusal{"only one scale"};
  return per_tensor("quantize", op.input.shape(), op.zeroPoint.dataType() == int8,
                    [](const Buffers& b, std::size_t first, std::size_t n, float scale,
                       std::uint8_t flip, std::int32_t zero) {
                      int8_quantize(b.in<float>() + first, n, scale, {.zero = zero, .flip = flip},
                                    b.out<std::uint8_t>() + first);
                    });
}

Lowering lower_int8_max_pool(const ops::maxPool2d& op, const MLOperand& result) {
  const MLPool2dOptions& o = op.options;
  if (!is_byte(op.input.dataType())) return Refusal{"only float32 and 8 bits"};
  if (o.layout != MLInputOperandLayout::nhwc) return Refusal{"only nhwc"};
  const Dims &in = op.input.shape(), &out = result.shape();
  const auto w =
      int8_windows(pooling_side(0, o, in, out), pooling_side(1, o, in, out), in[3], in[0]);
  const std::uint8_t flip = op.input.dataType() == int8 ? 0x80 : 0;
  return Candidate{.name = "int8 max pool",
                   .tiles = w.c.tiles(),
                   .run = [w, flip](Range r, const Buffers& b, std::byte*) {
                     w.run(r, b.in<std::uint8_t>(), b.out<std::uint8_t>(),
                           [&](const Int8Window& window, const std::uint8_t* from,
                               std::uint8_t* to) { int8_max(window, from, w.channels, flip, to); });
                   }};
}

}  // namespace webnn::inline v0_1::simd
