// dequantizeLinear and quantizeLinear that are not part of a group.
#include <limits>

#include "src/formats/tflite/export/groups.h"
#include "src/formats/tflite/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

/// The elements of `block`, each repeated for the block of x that it counts for.
Value spread(Emitter& e, Value block, const Dims& shape) {
  Dims from(shape.size() - e.shape(block).size(), 1);
  from.insert(from.end(), e.shape(block).begin(), e.shape(block).end());
  block = e.reshape(block, from);
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] == shape[d] || from[d] == 1) continue;
    // [..., n, 1, ...] to [..., n, size of a block, ...], then both as one dimension.
    Dims now = e.shape(block);
    std::uint32_t before = 1, behind = 1;
    for (std::size_t k = 0; k <= d; ++k) before *= now[k];
    for (std::size_t k = d + 1; k < now.size(); ++k) behind *= now[k];
    const std::uint32_t size = shape[d] / from[d];
    block = e.broadcast_to(e.reshape(block, {before, 1, behind}), {before, size, behind});
    now[d] = shape[d];
    block = e.reshape(block, now);
  }
  return block;
}

}  // namespace

Values lower(LoweringContext& s, const ops::dequantizeLinear& op) {
  Emitter& e = s.e();
  const auto quantizer = quantizer_of(op.input, op.scale, op.zeroPoint);
  const Value x = s(op.input);
  if (quantizer && bits_of(op.input.dataType()) == 8)
    return e.emit(DEQUANTIZE, {e.quantized(x, *quantizer)}, s.result());
  // In integers of 32 bits as far as they hold the difference.
  const TensorType type = e.type(x);
  const TensorType work = type == TensorType::UINT32 ? TensorType::INT64 : TensorType::INT32;
  const Value zero = spread(e, e.cast(s(op.zeroPoint), work), op.input.shape());
  const Value difference = e.binary(SUB, e.cast(x, work), zero);
  const Value scale = spread(e, s(op.scale), op.input.shape());
  return e.binary(MUL, e.cast(difference, e.type(scale)), scale);
}

Values lower(LoweringContext& s, const ops::quantizeLinear& op) {
  Emitter& e = s.e();
  const MLOperandDataType type = op.zeroPoint.dataType();
  const auto quantizer = quantizer_of(op.input, op.scale, op.zeroPoint);
  const Value x = s(op.input);
  if (quantizer && quantizer->per_tensor() && bits_of(type) == 8)
    return e.emit(QUANTIZE, {x}, {type_of(type), op.input.shape(), quantizer});
  if (bits_of(type) == 4) return s.refuse(fail("TFLite has no {} results", type));
  const Value scale = spread(e, s(op.scale), op.input.shape());
  const Value zero = spread(e, e.cast(s(op.zeroPoint), TensorType::INT64), op.input.shape());
  // Beyond this every type saturates, whatever its zero point.
  const double far = std::int64_t{1} << 40;
  const Value rounded = clamped(e, e.unary(ROUND, e.binary(DIV, x, scale)), -far, far);
  const Value sum = e.binary(ADD, e.cast(rounded, TensorType::INT64), zero);
  const auto [low, high] = type == int32    ? std::pair(-0x80000000ll, 0x7fffffffll)
                           : type == uint32 ? std::pair(0ll, 0xffffffffll)
                           : type == int8   ? std::pair(-128ll, 127ll)
                                            : std::pair(0ll, 255ll);
  const Value inside = e.binary(MINIMUM, e.binary(MAXIMUM, sum, double(low)), double(high));
  return e.cast(inside, type_of(type));
}

}  // namespace webnn::inline v0_1::tflite::exporter
