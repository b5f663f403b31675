// Operators that move elements.
#include "src/formats/executorch/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

/// A result that is not the operand itself, so that it can have a name and be an output.
Value own(Emitter& e, Value x, Value y) { return x == y ? e.unary(Kind::Copy, x) : y; }

/// The elements of an operand that are moved. A constant with a scale for each index of a dimension
/// has them for a dequantizeLinear that also reads it; moved elements have the scale 1.
Value moved(LoweringContext& s, const MLOperand& x) {
  const Value value = s(x);
  const Spec& spec = s.e().spec(value);
  if (!x.constant() || !spec.quantizer || spec.quantizer->per_tensor()) return value;
  return s.e().constant({DataType::qint8, x.shape(), formats::Quantizer{{1}, {0}}}, *x.constant());
}

}  // namespace

Values lower(LoweringContext& s, const ops::reshape& op) {
  const Value x = moved(s, op.input);
  return own(s.e(), x, s.e().reshape(x, s.result().shape));
}

Values lower(LoweringContext& s, const ops::transpose& op) {
  const Value x = moved(s, op.input);
  Dims order;
  if (op.options.permutation) order = *op.options.permutation;
  else
    for (std::uint32_t d = op.input.rank(); d-- > 0;) order.push_back(d);
  return own(s.e(), x, s.e().transpose(x, order));
}

Values lower(LoweringContext& s, const ops::slice& op) {
  if (op.options.strides)
    for (const std::uint32_t stride : *op.options.strides)
      if (stride != 1) return s.refuse(fail("XNNPACK has no slices with a stride of {}", stride));
  const Value x = moved(s, op.input);
  return own(s.e(), x, s.e().slice(x, op.starts, op.sizes));
}

Values lower(LoweringContext& s, const ops::split& op) {
  const Value x = moved(s, op.input);
  const std::uint32_t axis = op.options.axis;
  Dims starts(op.input.rank(), 0);
  std::vector<Value> parts;
  for (const Dims& shape : s.result_shapes()) {
    parts.push_back(own(s.e(), x, s.e().slice(x, starts, shape)));
    starts[axis] += shape[axis];
  }
  return parts;
}

Values lower(LoweringContext& s, const ops::concat& op) {
  std::vector<Value> parts;
  for (const MLOperand& x : op.inputs) {
    parts.push_back(moved(s, x));
    if (s.e().spec(parts.back()).quantizer != s.e().spec(parts.front()).quantizer)
      return s.refuse(fail("its operands have different scales or zero points"));
  }
  const Value y = s.e().concat(parts, op.axis);
  return own(s.e(), parts.front(), y);
}

Values lower(LoweringContext& s, const ops::pad& op) {
  if (op.options.mode != MLPaddingMode::constant)
    return s.refuse(fail("XNNPACK pads only with a constant"));
  const Value x = moved(s, op.input);
  if (!s.quantized() && !types::floats.contains(op.input.dataType()))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  if (op.input.rank() == 0) return s.e().unary(Kind::Copy, x);
  return s.e().pad(x, op.beginningPadding, op.endingPadding,
                   static_cast<float>(op.options.value.as_double()));
}

Values lower(LoweringContext& s, const ops::expand& op) {
  const Value x = moved(s, op.input);
  if (!types::floats.contains(op.input.dataType()))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  return own(s.e(), x, s.e().broadcast_to(x, s.result().shape));
}

/// Concatenated with itself, one dimension after the other.
Values lower(LoweringContext& s, const ops::tile& op) {
  const Value x = moved(s, op.input);
  Value y = x;
  constexpr std::uint32_t most = 1024;
  for (std::uint32_t d = 0; d < op.repetitions.size(); ++d) {
    if (op.repetitions[d] > most)
      return s.refuse(
          fail("{} repetitions are more than the limit of {}", op.repetitions[d], most));
    y = s.e().concat(std::vector<Value>(op.repetitions[d], y), d);
  }
  return own(s.e(), x, y);
}

}  // namespace webnn::inline v0_1::executorch::exporter
