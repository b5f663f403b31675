// Operators that move elements. Quantized elements keep their scale.
#include <cmath>

#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

template <class A> Value moved(LoweringContext& s, A attributes, std::vector<Value> inputs) {
  return s.e().moved(std::move(attributes), std::move(inputs), s.shape());
}
Value own(Emitter& e, Value x, Value y) { return x == y ? e.copy(x) : y; }

}  // namespace

Values lower(LoweringContext& s, const ops::reshape& op) {
  const Value x = s(op.input);
  return own(s.e(), x, s.e().reshape(x, s.shape()));
}
Values lower(LoweringContext& s, const ops::transpose& op) {
  const Value x = s(op.input);
  if (op.input.rank() == 0) return s.e().copy(x);
  return own(s.e(), x, s.e().transpose(x, ops::permutation_of(op)));
}
Values lower(LoweringContext& s, const ops::concat& op) {
  std::vector<Value> parts;
  for (const MLOperand& x : op.inputs) parts.push_back(s(x));
  for (const Value x : parts)
    if (s.e().tensor(x).quantParams != s.e().tensor(parts[0]).quantParams)
      return s.refuse(fail("its inputs have different scales"));
  return moved(s, Concat{.axis = op.axis}, std::move(parts));
}
Values lower(LoweringContext& s, const ops::split& op) {
  const Value x = s(op.input);
  Split a{.outputNum = static_cast<std::int64_t>(s.shapes().size()), .axis = op.options.axis};
  for (const Dims& shape : s.shapes()) a.sizeSplits.push_back(shape[op.options.axis]);
  auto parts = s.e().nodes(std::move(a), {x}, s.type(), s.shapes());
  for (const Value y : parts) s.e().quantize(y, s.e().tensor(x).quantParams);
  return parts;
}
Values lower(LoweringContext& s, const ops::slice& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  if (op.input.rank() == 0) return e.copy(x);
  if (!op.options.strides) return own(e, x, e.slice(x, op.starts, op.sizes));
  const Value begin = e.ints(op.starts);
  Dims end = op.starts;
  for (std::size_t d = 0; d < end.size(); ++d) end[d] += op.sizes[d];
  return moved(s, StridedSlice{}, {x, begin, e.ints(end), e.ints(Dims(*op.options.strides))});
}
Values lower(LoweringContext& s, const ops::expand& op) {
  const Value x = s(op.input);
  if (s.shape().empty()) return s.e().copy(x);
  return moved(s, BroadcastTo{.shape = list_of(s.shape())}, {x});
}
Values lower(LoweringContext& s, const ops::tile& op) {
  const Value x = s(op.input);
  if (op.input.rank() == 0) return s.e().copy(x);
  return moved(s, TileFusion{.dims = list_of(op.repetitions)}, {x, s.e().ints(op.repetitions)});
}

namespace {

/// The first or last element along a dimension, `times` times.
Value border(Emitter& e, Value x, std::uint32_t axis, bool last, std::uint32_t times) {
  Dims sizes = e.shape(x), starts(sizes.size(), 0);
  if (last) starts[axis] = sizes[axis] - 1;
  sizes[axis] = 1;
  const Value one = e.slice(x, starts, sizes);
  sizes[axis] = times;
  return e.broadcast(one, sizes);
}

}  // namespace

Values lower(LoweringContext& s, const ops::pad& op) {
  Emitter& e = s.e();
  Value x = s(op.input);
  if (op.input.rank() == 0) return e.copy(x);
  const Dims &before = op.beginningPadding, &after = op.endingPadding;
  if (op.options.mode == MLPaddingMode::edge) {
    const Value given = x;
    for (std::uint32_t d = 0; d < op.input.rank(); ++d) {
      std::vector<Value> parts{x};
      if (before[d] > 0) parts.insert(parts.begin(), border(e, x, d, false, before[d]));
      if (after[d] > 0) parts.push_back(border(e, x, d, true, after[d]));
      x = e.concat(std::move(parts), d);
    }
    return own(e, given, x);
  }
  const double value = op.options.value.as_double();
  const auto narrow = static_cast<float>(value);
  if (!types::floats.contains(s.type()) && !(std::abs(value) <= 16777216))
    return s.refuse(fail("NNRt pads with a float, which cannot hold {}", value));
  if (op.options.mode == MLPaddingMode::constant) return e.pad(x, before, after, narrow);
  return e.pad(x, before, after, PadFusion{.paddingMode = PaddingMode::PADDING_MODE_REFLECT});
}
Values lower(LoweringContext& s, const ops::reverse& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  return own(e, x, e.reverse(x, axes_or_all(op.options.axes, op.input.rank())));
}
Values lower(LoweringContext& s, const ops::triangular& op) {
  Emitter& e = s.e();
  const Dims& shape = s.shape();
  const Dims matrix(shape.end() - 2, shape.end());
  std::vector<std::uint8_t> kept;
  for (std::int64_t i = 0; i < matrix[0]; ++i)
    for (std::int64_t j = 0; j < matrix[1]; ++j)
      kept.push_back(op.options.upper ? j >= i + op.options.diagonal
                                      : j <= i + op.options.diagonal);
  const Value zeros = e.broadcast(e.filled(s.type(), Dims(shape.size(), 1), 0), shape);
  const Value mask = e.broadcast(e.mask(matrix, kept), shape);
  return e.node(Select{}, {mask, s(op.input), zeros}, s.type(), shape);
}

}  // namespace webnn::inline v0_1::nnrt::exporter
