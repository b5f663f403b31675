// Operators on shapes. What says a shape is int64 in ONNX.
#include "src/formats/onnx/export/lower.h"
#include "src/formats/onnx/export/resize.h"
#include "src/formats/onnx/export/with_sizes.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

Value int64s(LoweringContext& s, const MLOperand& x) { return s.e().cast(s(x), int64); }

}  // namespace

Values lower(LoweringContext& s, const ops::shapeOf& op) {
  Emitter& e = s.e();
  return e.narrowed(e.node("Shape", {s(op.input)}, int64, s.shape()), uint32);
}
Values lower(LoweringContext& s, const ops::rank& op) {
  Emitter& e = s.e();
  const Value shape = e.node("Shape", {s(op.input)}, int64, Dims{op.input.rank()});
  return e.narrowed(e.node("Size", {shape}, int64, Dims()), uint32);
}
Values lower(LoweringContext& s, const ops::dimension& op) {
  Emitter& e = s.e();
  return e.narrowed(e.dimension(s(op.input), op.axis), uint32);
}

Values lower(LoweringContext& s, const ops::range& op) {
  Emitter& e = s.e();
  const bool is_signed = DataTypes{float32, int32, int64}.contains(s.type());
  const MLOperandDataType type = is_signed ? s.type() : int64;
  const auto scalar = [&](const MLOperand& x) { return e.cast(s(x), type); };
  const std::vector<Value> inputs{scalar(op.start), scalar(op.limit), scalar(op.delta)};
  return e.cast(e.node("Range", inputs, type, s.shape()), s.type());
}

Values lower(LoweringContext& s, const ops::squeeze& op) {
  Emitter& e = s.e();
  std::vector<Value> inputs{s(op.input)};
  if (const auto& axes = op.options.axes) {
    if (axes->empty()) return e.copy(inputs[0]);
    inputs.push_back(e.ints(Dims(*axes)));
  }
  return e.like("Squeeze", std::move(inputs), s.shape());
}
Values lower(LoweringContext& s, const ops::unsqueeze& op) {
  Emitter& e = s.e();
  if (op.axes.empty()) return e.copy(s(op.input));
  return e.like("Unsqueeze", {s(op.input), e.ints(op.axes)}, s.shape());
}
Values lower(LoweringContext& s, const ops::reshapeTo2d& op) {
  return s.e().like("Flatten", {s(op.input)}, s.shape(), {{"axis", std::int64_t{op.options.axis}}});
}

Values lower(LoweringContext& s, const ops::reshapeDynamic& op) {
  return s.e().like("Reshape", {s(op.input), int64s(s, op.newShape)}, s.shape(),
                    {{"allowzero", std::int64_t{1}}});
}
/// ONNX broadcasts to both sides; a Reshape compares the shape.
Values lower(LoweringContext& s, const ops::expandDynamic& op) {
  Emitter& e = s.e();
  const Value shape = int64s(s, op.newShape);
  const Value y = e.like("Expand", {s(op.input), shape}, s.shape());
  if (element_count(op.input.shape()) == 1 && !s.is_open(op.input)) return y;
  return with_shape(e, y, shape, s.shape());
}
Values lower(LoweringContext& s, const ops::tileDynamic& op) {
  return s.e().like("Tile", {s(op.input), int64s(s, op.repetitions)}, s.shape());
}
/// ONNX cuts off what lies behind the end; a Reshape compares the sizes before steps are taken.
Values lower(LoweringContext& s, const ops::sliceDynamic& op) {
  Emitter& e = s.e();
  const Value starts = int64s(s, op.starts), sizes = int64s(s, op.sizes);
  const Value ends = e.binary("Add", starts, sizes);
  const std::uint32_t rank = op.input.rank();
  const Dims steps = op.options.strides ? Dims(*op.options.strides) : Dims(rank, 1);
  const Value axes = e.ints(identity_order(rank));
  const bool dense = steps == Dims(rank, 1);
  const Dims& shape = dense ? s.shape() : op.input.shape();
  Value y = e.like("Slice", {s(op.input), starts, ends, axes}, shape);
  y = with_shape(e, y, sizes, shape);
  if (dense) return y;
  return e.like("Slice", {y, e.ints(Dims(rank, 0)), sizes, axes, e.ints(steps)}, s.shape());
}
Values lower(LoweringContext& s, const ops::padDynamic& op) {
  Emitter& e = s.e();
  const Value pads = e.concat({int64s(s, op.beginningPadding), int64s(s, op.endingPadding)}, 0);
  const bool constant = op.options.mode == MLPaddingMode::constant;
  std::vector<Value> inputs{s(op.input), pads};
  if (constant) inputs.push_back(e.scalar(s.type(), op.options.value));
  return e.like("Pad", std::move(inputs), s.shape(), {{"mode", pad_mode(op.options.mode)}});
}
Values lower(LoweringContext& s, const ops::splitDynamic& op) {
  return s.e().nodes("Split", {s(op.input), int64s(s, op.splits)}, s.type(), s.shapes(),
                     {{"axis", std::int64_t{op.options.axis}}});
}
Values lower(LoweringContext& s, const ops::resample2dDynamic& op) {
  const auto& o = op.options;
  return resized(s, op.input, o.mode, o.axes, int64s(s, *o.sizes));
}

}  // namespace webnn::inline v0_1::onnx::exporter
