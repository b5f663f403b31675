// The numbers of operators of narrow floats in formats that store them as float32.
#pragma once

#include "src/graph/narrow_floats.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

/// f(the operator of a node). Where it computes in a narrow float, its coefficients and bounds are
/// rounded to that: to float32 first, they would be rounded twice, to another number near the
/// middle of two.
template <class F> auto visit_rounded(F&& f, const Node& node) {
  const MLOperandDataType type = node.output().dataType();
  if (!is_narrow_float(type)) return visit<ops::AllOps>(f, node.kind(), node.op());
  const std::shared_ptr<void> unowned(std::shared_ptr<void>(), const_cast<void*>(node.op()));
  Op op = Op(node.kind(), unowned).clone();
  op.round_numbers(type);
  return visit<ops::AllOps>(f, op);
}

}  // namespace webnn::inline v0_1::formats
