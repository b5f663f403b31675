// Adds the operators of a composition to a graph.
#pragma once

#include <array>
#include <map>

#include "src/graph/failure.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::fused {

/// The results of dequantizeLinear in a graph, by its operands.
using Dequantized = std::map<std::array<const OperandRecord*, 3>, MLOperand>;

class Composer {
 public:
  /// With `validate`, operators that are not valid are refused.
  explicit Composer(GraphData& to, Validate validate = {}) : to_(to), validate_(validate) {}
  /// A dequantizeLinear that the graph has is not added again.
  Composer(GraphData& to, Dequantized& known) : to_(to), known_(&known) {}

  /// The result of an operator that has one, of the data type of its first operand. Throws what
  /// infer() refuses.
  template <class T> MLOperand add(T op) {
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
  template <class T> MLOperand add(T op, MLOperandDataType type) {
    return add(Op::of(std::move(op)), type);
  }
  MLOperand add(Op op, MLOperandDataType type);

  MLOperand dequantized(ops::dequantizeLinear op);

  /// A float32 constant of rank 0.
  MLOperand constant(double value) {
    const auto v = static_cast<float>(value);
    return to_.add({.descriptor = {MLOperandDataType::float32, {}},
                    .kind = OperandKind::constant,
                    .constant = Constant::copy_of(std::as_bytes(std::span(&v, 1)))});
  }

  /// Where the graph has the operators of the composition.
  std::vector<std::size_t> places{};

 private:
  GraphData& to_;
  Validate validate_{};
  Dequantized* known_ = nullptr;
};

/// The results of a composition: compose() returns the only one, or several.
template <class T> std::vector<MLOperand> composition(const T& op, Composer& to) {
  if constexpr (std::same_as<decltype(compose(op, to)), MLOperand>) return {compose(op, to)};
  else return compose(op, to);
}

/// What infer() of a fused operator returns: the shapes of its composition's results.
template <class T> Result<ops::Shapes> composed_shapes(const T& op, const Validate& validate = {}) {
  GraphData scratch;
  T copy = op;
  ops::for_each_operand(copy, [&](const auto&, auto& value) {
    ops::each(value, [&](MLOperand& x) {
      OperandRecord record = x.record();
      if (record.kind == OperandKind::result) record.kind = OperandKind::input;
      x = scratch.add(std::move(record));
    });
  });
  Composer to(scratch, validate);
  try {
    ops::Shapes shapes(std::vector<ops::Sizes>{});
    for (const MLOperand& y : composition(copy, to))
      shapes.emplace_back(y.shape().begin(), y.shape().end());
    return shapes;
  } catch (const Error& e) { return fail("{}", e.reason()); }
}

}  // namespace webnn::inline v0_1::fused
