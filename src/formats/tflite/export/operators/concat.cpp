// concat and split.
#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

Values lower(LoweringContext& s, const ops::concat& op) {
  Emitter& e = s.e();
  std::vector<Value> list;
  if (s.quantized()) {
    for (const MLOperand& x : op.inputs) list.push_back(s(x));
    return e.concat(list, op.axis, s.result());
  }
  const TensorType type = type_of(op.inputs.front().dataType());
  for (const MLOperand& x : op.inputs) list.push_back(e.cast(s(x), movable(type)));
  return e.cast(e.concat(list, op.axis), type);
}

Values lower(LoweringContext& s, const ops::split& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const Value x = e.cast(s(op.input), movable(type));
  const std::uint32_t axis = op.options.axis;
  std::vector<TensorSpec> results;
  std::vector<std::int32_t> sizes;
  bool equal = true;
  for (const Dims& shape : s.result_shapes()) {
    results.push_back({e.type(x), shape, e.spec(x).quantizer});
    sizes.push_back(signed_of(shape[axis]));
    equal = equal && sizes.back() == sizes.front();
  }
  if (sizes.size() == 1) return s(op.input);
  const Value along = e.scalar(TensorType::INT32, axis);
  std::vector<Value> parts;
  if (equal && e.type(x) != TensorType::INT64) {
    schema::SplitOptionsT options;
    options.num_splits = static_cast<std::int32_t>(sizes.size());
    parts = e.emit_list(SPLIT, {along, x}, results, std::optional(options));
  } else {
    schema::SplitVOptionsT options;
    options.num_splits = static_cast<std::int32_t>(sizes.size());
    parts = e.emit_list(SPLIT_V, {x, e.ints(sizes), along}, results, std::optional(options));
  }
  for (Value& part : parts) part = e.cast(part, type);
  return parts;
}

}  // namespace webnn::inline v0_1::tflite::exporter
