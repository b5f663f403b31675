// gather, gatherElements, gatherND. WebNN counts negative indices from the end and clamps; TFLite
// refuses such indices when it runs, so they are corrected before.
#include <numeric>

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

/// Whether an operand's elements lie between 0 and size - 1 for certain.
bool surely_below(const MLOperand& x, std::uint32_t size, const Graph& graph) {
  if (x.record().kind != OperandKind::result) return false;
  const Node node = graph.producer_of(x);
  if (const auto* op = node.as<ops::clamp>())
    return op->options.minValue && op->options.maxValue && op->options.minValue->as_double() >= 0 &&
           op->options.maxValue->as_double() < size;
  if (const auto* op = node.as<ops::argMax>()) return op->input.shape()[op->axis] <= size;
  if (const auto* op = node.as<ops::argMin>()) return op->input.shape()[op->axis] <= size;
  if (const auto* op = node.as<ops::reshape>()) return surely_below(op->input, size, graph);
  if (const auto* op = node.as<ops::cast>())
    return bits_of(op->dataType) >= 32 && surely_below(op->input, size, graph);
  return false;
}

std::vector<std::uint32_t> strides_of(const Dims& shape) {
  std::vector<std::uint32_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::uint32_t product(const Dims& shape) {
  return static_cast<std::uint32_t>(element_count(shape));
}

}  // namespace

Value indices_below(LoweringContext& s, const MLOperand& indices,
                    const std::vector<std::uint32_t>& sizes) {
  Emitter& e = s.e();
  const Value x = s(indices);
  if (e.constant(x)) {
    std::vector<std::int32_t> out;
    for (const double v : e.values(x)) {
      const double size = sizes[out.size() % sizes.size()];
      out.push_back(static_cast<std::int32_t>(std::clamp(v < 0 ? v + size : v, 0.0, size - 1)));
    }
    return e.constant(TensorType::INT32, indices.shape(), out);
  }
  const bool same =
      std::all_of(sizes.begin(), sizes.end(), [&](std::uint32_t n) { return n == sizes.front(); });
  if (same && surely_below(indices, sizes.front(), s.graph()))
    return e.type(x) == TensorType::UINT32 ? e.cast(x, TensorType::INT32) : x;
  // Indices have 64 bits, so that neither uint32 nor an index of int64 wraps.
  const bool narrow = e.type(x) == TensorType::INT32;
  const TensorType work = narrow ? TensorType::INT32 : TensorType::INT64;
  const Value wide = e.cast(x, work);
  const auto list = [&](std::int32_t less) {
    std::vector<std::int32_t> values;
    for (const std::uint32_t size : sizes) values.push_back(signed_of(size) - less);
    if (same) return e.scalar(work, values.front());
    return e.cast(e.ints(values), work);
  };
  const Value negative = e.compare(LESS, wide, e.scalar(work, 0));
  const Value counted = e.select(negative, e.binary(ADD, wide, list(0)), wide);
  const Value above = e.binary(MAXIMUM, counted, 0.0);
  return e.cast(e.binary(MINIMUM, above, list(1)), TensorType::INT32);
}

Values lower(LoweringContext& s, const ops::gather& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const std::uint32_t axis = op.options.axis;
  const Value at = indices_below(s, op.indices, {op.input.shape()[axis]});
  return e.cast(e.gather(e.cast(s(op.input), movable(type)), at, axis), type);
}

Values lower(LoweringContext& s, const ops::gatherND& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const std::uint32_t k = op.indices.shape().back();
  const Dims& in = op.input.shape();
  const Value at = indices_below(s, op.indices, {in.begin(), in.begin() + k});
  const Value x = e.cast(s(op.input), movable(type));
  return e.cast(e.emit(GATHER_ND, {x, at}, {e.type(x), s.result().shape}), type);
}

/// The input as a row, and where each element of the result is in it.
Values lower(LoweringContext& s, const ops::gatherElements& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const Dims &in = op.input.shape(), &out = op.indices.shape();
  const std::uint32_t axis = op.options.axis, count = product(out);
  const Value at = e.cast(indices_below(s, op.indices, {in[axis]}), TensorType::INT32);

  const auto strides = strides_of(in);
  std::vector<std::int32_t> others;  // the part of the place that the other axes give
  Dims place(out.size(), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < out.size(); ++d)
      if (d != axis) sum += place[d] * strides[d];
    others.push_back(signed_of(sum));
    for (std::size_t d = out.size(); d-- > 0 && ++place[d] == out[d];) place[d] = 0;
  }
  Value row = e.reshape(at, {count});
  if (strides[axis] != 1) row = e.binary(MUL, row, double(strides[axis]));
  row = e.binary(ADD, row, e.ints(others));
  const Value x = e.reshape(e.cast(s(op.input), movable(type)), {product(in)});
  return e.cast(e.reshape(e.gather(x, row, 0), out), type);
}

}  // namespace webnn::inline v0_1::tflite::exporter
