// Adds the operators of a composition to a graph.
#pragma once

#include "src/graph/failure.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::fused {

class Composer {
 public:
  explicit Composer(GraphData& to) : to_(to) {}

  /// The result of an operator that has one, of the data type of its first operand. Throws what
  /// infer() refuses.
  template <class Op> MLOperand add(Op op) {
    MLOperandDataType type{};
    bool first = true;
    ops::for_each_operand(op, [&](const auto&, const auto& value) {
      ops::each(value, [&](const MLOperand& x) {
        if (std::exchange(first, false)) type = x.dataType();
      });
    });
    return add(std::move(op), type);
  }
  /// The same for a result of another data type.
  template <class Op> MLOperand add(Op op, MLOperandDataType type) {
    const Result<ops::Shapes> shapes = infer(op);
    if (!shapes) raise(shapes.failure(), Op::declaration.name);
    const ops::Sizes& sizes = (*shapes).front();
    MLOperandDescriptor result{type, Dims(sizes.begin(), sizes.end())};
    return to_.add(webnn::Op::of(std::move(op)), {std::move(result)}).front();
  }

  /// A float32 constant of rank 0.
  MLOperand constant(double value) {
    const auto v = static_cast<float>(value);
    return to_.add({.descriptor = {MLOperandDataType::float32, {}},
                    .kind = OperandKind::constant,
                    .constant = Constant::copy_of(std::as_bytes(std::span(&v, 1)))});
  }

 private:
  GraphData& to_;
};

/// The results of a composition: compose() returns the only one, or several.
template <class Op> std::vector<MLOperand> composition(const Op& op, Composer& to) {
  if constexpr (std::same_as<decltype(compose(op, to)), MLOperand>) return {compose(op, to)};
  else return compose(op, to);
}

/// What infer() of a fused operator returns: the shapes of its composition's results.
template <class Op> Result<ops::Shapes> composed_shapes(const Op& op) {
  GraphData scratch;
  Op copy = op;
  ops::for_each_operand(copy, [&](const auto&, auto& value) {
    ops::each(value, [&](MLOperand& x) {
      OperandRecord record = x.record();
      if (record.kind == OperandKind::result) record.kind = OperandKind::input;
      x = scratch.add(std::move(record));
    });
  });
  Composer to(scratch);
  try {
    ops::Shapes shapes(std::vector<ops::Sizes>{});
    for (const MLOperand& y : composition(copy, to))
      shapes.emplace_back(y.shape().begin(), y.shape().end());
    return shapes;
  } catch (const Error& e) { return fail("{}", e.reason()); }
}

}  // namespace webnn::inline v0_1::fused
