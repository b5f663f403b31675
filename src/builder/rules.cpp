#include "src/builder/rules.h"

#include <set>

#include "src/graph/failure.h"

namespace webnn::inline v0_1 {
namespace {

MLOperand with_rank(const MLOperand& x, std::size_t rank, GraphData& data) {
  if (x.rank() == rank) return x;
  Dims shape(rank - x.rank(), 1);
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  return data.add(Op::of(ops::reshape{x, shape}), {{x.dataType(), shape}}).front();
}

template <class Quantization> Op widened(Quantization op, GraphData& data) {
  op.scale = with_rank(op.scale, op.input.rank(), data);
  op.zeroPoint = with_rank(op.zeroPoint, op.input.rank(), data);
  return Op::of(std::move(op));
}

}  // namespace

void add_dimensions(Op& op, GraphData& data) {
  if (const auto* q = op.as<ops::quantizeLinear>()) op = widened(*q, data);
  else if (const auto* dq = op.as<ops::dequantizeLinear>()) op = widened(*dq, data);
}

void check_scalar(MLOperandDataType type) {
  if (bits_of(type) == 4) raise(fail("a scalar cannot have the data type {}", type), "constant");
}

void check_deferred(const Graph& graph) {
  std::set<std::string_view> names;
  for (const auto& [name, x] : graph.inputs())
    if (!names.insert(name).second) raise(fail("two inputs have this name"), "build", name);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    if (const auto* op = node.as<ops::convTranspose2d>())
      if (const auto shapes = infer(*op); !shapes)
        raise({shapes.failure().message, ErrorName::OperationError}, node.name(), node.label());
  }
}

}  // namespace webnn::inline v0_1
