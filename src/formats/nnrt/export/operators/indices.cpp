// Operators with indices. NNRt has them of int32 and int64.
#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

Value indices(LoweringContext& s, const MLOperand& x) {
  const Value v = s(x);
  return s.e().type(v) == uint32 ? s.e().cast(v, int64) : v;
}

/// The coordinates of all elements of `along`, in a last dimension, with these in the place of one.
Value coordinates(LoweringContext& s, Value along, std::uint32_t axis) {
  Emitter& e = s.e();
  Dims shape = e.shape(along);
  const std::size_t rank = shape.size();
  const MLOperandDataType type = e.type(along);
  shape.push_back(1);
  std::vector<Value> columns;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d == axis) {
      columns.push_back(e.reshape(along, shape));
      continue;
    }
    std::vector<std::int32_t> places;
    for (std::uint32_t i = 0; i < shape[d]; ++i) places.push_back(static_cast<std::int32_t>(i));
    Dims line(rank + 1, 1);
    line[d] = shape[d];
    Value counted = e.constant(int32, line, Constant::copy_of(std::as_bytes(std::span(places))));
    if (type != int32) counted = e.cast(counted, type);
    columns.push_back(e.broadcast(counted, shape));
  }
  return e.concat(std::move(columns), static_cast<std::uint32_t>(rank));
}

/// NNRt scatters over zeros; where ones are scattered the result is taken from there.
Value scattered(LoweringContext& s, Value x, Value places, Value updates) {
  Emitter& e = s.e();
  const Value shape = e.ints(s.shape());
  const Value ones = e.filled(int32, e.shape(updates), 1);
  const Value there = e.node(ScatterNd{}, {places, ones, shape}, int32, s.shape());
  const Value values = e.node(ScatterNd{}, {places, updates, shape}, s.type(), s.shape());
  return e.node(Select{}, {e.as_truth(there), values, x}, s.type(), s.shape());
}

}  // namespace

Values lower(LoweringContext& s, const ops::gather& op) {
  const Value axis = s.e().ints(Dims{op.options.axis});
  return s.e().moved(Gather{}, {s(op.input), indices(s, op.indices), axis}, s.shape());
}
Values lower(LoweringContext& s, const ops::gatherND& op) {
  return s.e().moved(GatherNd{}, {s(op.input), indices(s, op.indices)}, s.shape());
}
Values lower(LoweringContext& s, const ops::gatherElements& op) {
  const Value places = coordinates(s, indices(s, op.indices), op.options.axis);
  return s.e().moved(GatherNd{}, {s(op.input), places}, s.shape());
}
Values lower(LoweringContext& s, const ops::scatterND& op) {
  if (s.shape().empty()) return s.refuse(fail("of a scalar"));
  return scattered(s, s(op.input), indices(s, op.indices), s(op.updates));
}
Values lower(LoweringContext& s, const ops::scatterElements& op) {
  const Value places = coordinates(s, indices(s, op.indices), op.options.axis);
  return scattered(s, s(op.input), places, s(op.updates));
}

}  // namespace webnn::inline v0_1::nnrt::exporter
