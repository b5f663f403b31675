// Operators that move elements. Quantized elements keep their scale.
#include "src/formats/nnrt/export/lower.h"

namespace webnn::nnrt::exporter {
namespace {

template <class A> Value moved(LoweringContext& s, A attributes, std::vector<Value> inputs) {
  const auto params = s.e().tensor(inputs[0]).quantParams;
  const Value y = s.e().like(std::move(attributes), std::move(inputs), s.shape());
  s.e().quantize(y, params);
  return y;
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
  const Value begin = e.ints(op.starts);
  if (!op.options.strides) {
    List axes;
    for (std::uint32_t d = 0; d < op.starts.size(); ++d) axes.push_back(d);
    return moved(s, SliceFusion{.axes = axes}, {x, begin, e.ints(op.sizes)});
  }
  Dims end = op.starts;
  for (std::size_t d = 0; d < end.size(); ++d) end[d] += op.sizes[d];
  return moved(s, StridedSlice{}, {x, begin, e.ints(end), e.ints(Dims(*op.options.strides))});
}
Values lower(LoweringContext& s, const ops::pad& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  if (op.input.rank() == 0) return e.copy(x);
  if (op.options.mode == MLPaddingMode::edge) return s.refuse(fail("NNRt does not pad with edges"));
  if (!types::floats.contains(s.type()))
    return s.refuse(fail("NNRt pads floats, not {}", s.type()));
  PadFusion a{.paddingMode = op.options.mode == MLPaddingMode::reflection
                                 ? PaddingMode::PADDING_MODE_REFLECT
                                 : PaddingMode::PADDING_MODE_CONSTANT,
              .constantValue = static_cast<float>(op.options.value.as_double())};
  std::vector<std::int32_t> flat;
  for (std::size_t d = 0; d < op.beginningPadding.size(); ++d) {
    a.paddings.push_back({op.beginningPadding[d], op.endingPadding[d]});
    for (const std::int64_t v : a.paddings.back()) flat.push_back(static_cast<std::int32_t>(v));
  }
  const Dims pairs{op.input.rank(), 2};
  const Value list = e.constant(int32, pairs, Constant::copy_of(std::as_bytes(std::span(flat))));
  return e.like(std::move(a), {x, list}, s.shape());
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
Values lower(LoweringContext& s, const ops::gather& op) {
  const Value axis = s.e().ints(Dims{op.options.axis});
  return moved(s, Gather{}, {s(op.input), s(op.indices), axis});
}
Values lower(LoweringContext& s, const ops::gatherND& op) {
  return moved(s, GatherNd{}, {s(op.input), s(op.indices)});
}
/// NNRt scatters over zeros; where ones are scattered the result is taken from there.
Values lower(LoweringContext& s, const ops::scatterND& op) {
  Emitter& e = s.e();
  if (s.shape().empty()) return s.refuse(fail("of a scalar"));
  const Value x = s(op.input), indices = s(op.indices), updates = s(op.updates);
  const Value shape = e.ints(s.shape());
  const Value ones = e.filled(int32, e.shape(updates), 1);
  const Value there = e.node(ScatterNd{}, {indices, ones, shape}, int32, s.shape());
  const Value scattered = e.node(ScatterNd{}, {indices, updates, shape}, s.type(), s.shape());
  return e.node(Select{}, {e.as_truth(there), scattered, x}, s.type(), s.shape());
}

}  // namespace webnn::nnrt::exporter
