#include "src/formats/onnx/export/library_operators.h"

#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// An attribute of an operator in a graph, which has all of them, in the types of its defaults.
template <class T> const T& value_of(const ops::custom& op, std::string_view name) {
  return std::get<T>(*op.options.attributes.find(name));
}
std::string_view text_of(const ops::custom& op, std::string_view name) {
  return value_of<std::string>(op, name);
}
std::uint32_t axis_of(const ops::custom& op) {
  const auto axis = value_of<std::int64_t>(op, "axis");
  return static_cast<std::uint32_t>(axis < 0 ? axis + op.inputs[0].rank() : axis);
}

Values top_k(LoweringContext& c, const ops::custom& op, std::span<const MLOperand> outputs) {
  Emitter& e = c.e();
  const Dims shape = outputs[0].shape();
  const MLOperandDataType type = op.inputs[0].dataType();
  // Narrow floats are in the same order as float32.
  const bool widens = type == bfloat16 || type == float8e4m3;
  const MLOperandDataType written = widens ? float32 : type;
  const std::vector<MLOperandDescriptor> results{{written, shape}, {int64, shape}};
  const std::vector<Value> made = e.custom_nodes(
      "", "TopK", written_opset,
      {e.cast(c(op.inputs[0]), written), e.ints(Ints{value_of<std::int64_t>(op, "k")})}, results,
      {{"axis", std::int64_t{axis_of(op)}},
       {"largest", std::int64_t{value_of<bool>(op, "largest")}},
       {"sorted", std::int64_t{1}}});
  return std::vector<Value>{e.cast(made[0], type), e.cast(made[1], outputs[1].dataType())};
}

Values bitwise(LoweringContext& c, const ops::custom& op) {
  const std::string_view operation = text_of(op, "operation");
  const std::string_view name = operation == "and"   ? "BitwiseAnd"
                                : operation == "or"  ? "BitwiseOr"
                                : operation == "xor" ? "BitwiseXor"
                                                     : "BitwiseNot";
  std::vector<Value> inputs;
  for (const MLOperand& x : op.inputs) inputs.push_back(c(x));
  return c.e().like(name, std::move(inputs), c.shape());
}

Values grid_sample(LoweringContext& c, const ops::custom& op) {
  return c.e().like("GridSample", {c(op.inputs[0]), c(op.inputs[1])}, c.shape(),
                    {{"mode", text_of(op, "mode")},
                     {"padding_mode", text_of(op, "padding")},
                     {"align_corners", std::int64_t{value_of<bool>(op, "alignCorners")}}});
}

}  // namespace

std::optional<Values> lower_library(LoweringContext& c, const ops::custom& op,
                                    std::span<const MLOperand> outputs) {
  const auto& definition = op.definition;
  if (definition == operators::top_k()) return top_k(c, op, outputs);
  if (definition == operators::bitwise()) return bitwise(c, op);
  if (definition == operators::grid_sample()) return grid_sample(c, op);
  if (definition == operators::scatter_elements())
    return scatter_elements(c, op, axis_of(op), text_of(op, "reduction"));
  if (definition == operators::scatter_nd()) return scatter_nd(c, op, text_of(op, "reduction"));
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::onnx::exporter
