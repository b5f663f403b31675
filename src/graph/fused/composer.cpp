#include "src/graph/fused/composer.h"
#include "src/graph/known.h"

namespace webnn::inline v0_1::fused {

MLOperand Composer::add(Op op, MLOperandDataType type) {
  MLOperandDescriptor result{type, {}};
  if (validate_) {
    auto valid = validate_(op.kind(), op.get(), &to_);
    if (!valid) raise(valid.failure(), name_of_kind(op.kind()));
    if (valid->size() != 1 || valid->front().dataType != type)
      raise(fail("the data type of its result is not {}", type), name_of_kind(op.kind()));
    result = std::move(valid->front());
  } else {
    const Result<ops::Shapes> shapes =
        visit_known<ops::AllOps>([](const auto& o) { return infer(o); }, op);
    if (!shapes) raise(shapes.failure(), name_of_kind(op.kind()));
    const ops::Sizes& sizes = (*shapes).front();
    result.shape = Dims(sizes.begin(), sizes.end());
  }
  places.push_back(to_.nodes.size());
  return to_.add(std::move(op), {std::move(result)}).front();
}

MLOperand Composer::dequantized(ops::dequantizeLinear op) {
  const auto type = op.scale.dataType();
  if (!known_) return add(std::move(op), type);
  MLOperand& y = (*known_)[{&op.input.record(), &op.scale.record(), &op.zeroPoint.record()}];
  if (!y) return y = add(std::move(op), type);
  places.push_back(y.record().producer);
  return y;
}

}  // namespace webnn::inline v0_1::fused
