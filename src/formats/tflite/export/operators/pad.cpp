#include <cmath>

#include "src/formats/tflite/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

/// The first and the last slice of each axis, repeated.
Value edges(Emitter& e, Value x, const Dims& before, const Dims& after) {
  for (std::uint32_t d = 0; d < before.size(); ++d) {
    if (before[d] == 0 && after[d] == 0) continue;
    std::vector<std::int32_t> at(before[d], 0);
    const std::int32_t size = signed_of(e.shape(x)[d]);
    for (std::int32_t i = 0; i < size; ++i) at.push_back(i);
    at.insert(at.end(), after[d], size - 1);
    x = e.pick(x, at, d);
  }
  return x;
}

Value reflected(Emitter& e, Value x, const Dims& before, const Dims& after) {
  std::vector<std::int32_t> amounts;
  TensorSpec result = e.spec(x);
  for (std::size_t d = 0; d < before.size(); ++d) {
    amounts.insert(amounts.end(), {signed_of(before[d]), signed_of(after[d])});
    result.shape[d] += before[d] + after[d];
  }
  schema::MirrorPadOptionsT options;
  options.mode = schema::MirrorPadMode::REFLECT;
  const Value list =
      e.constant(TensorType::INT32, {static_cast<std::uint32_t>(before.size()), 2}, amounts);
  return e.emit(MIRROR_PAD, {x, list}, std::move(result), std::optional(options));
}

/// One axis at a time as the middle one of three: for more dimensions than PADV2 supports.
Value padded_by_axis(Emitter& e, Value x, const Dims& before, const Dims& after, double value) {
  for (std::uint32_t d = 0; d < before.size(); ++d) {
    if (before[d] == 0 && after[d] == 0) continue;
    Dims shape = e.shape(x);
    std::uint32_t outer = 1, inner = 1;
    for (std::uint32_t k = 0; k < d; ++k) outer *= shape[k];
    for (std::uint32_t k = d + 1; k < shape.size(); ++k) inner *= shape[k];
    x = e.pad(e.reshape(x, {outer, shape[d], inner}), {0, before[d], 0}, {0, after[d], 0}, value);
    shape[d] += before[d] + after[d];
    x = e.reshape(x, shape);
  }
  return x;
}

}  // namespace

Values lower(LoweringContext& s, const ops::pad& op) {
  Emitter& e = s.e();
  const Dims &before = op.beginningPadding, &after = op.endingPadding;
  if (s.quantized()) return e.pad(s(op.input), before, after);
  return moved(s, op.input, [&](Value x) {
    if (op.options.mode == MLPaddingMode::edge) return edges(e, x, before, after);
    if (op.options.mode == MLPaddingMode::reflection) {
      if (before.size() <= 5) return reflected(e, x, before, after);
      return e.refuse(fail("TFLite reflects no more than 5 dimensions"), e.spec(x));
    }
    const MLOperandDataType type = op.input.dataType();
    double value = op.options.value.to(type).as_double();
    if (type == uint32)
      value = double(static_cast<std::int32_t>(op.options.value.to(type).as_uint64()));
    if (type == int64 && std::abs(value) > 9e15)
      return e.refuse(
          fail("the value ({}) is too large for TFLite's PADV2 as exported", op.options.value),
          e.spec(x));
    if (before.size() > 5) return padded_by_axis(e, x, before, after, value);
    return value == 0 && !e.spec(x).quantizer ? e.pad(x, before, after)
                                              : e.pad(x, before, after, value);
  });
}

}  // namespace webnn::inline v0_1::tflite::exporter
