#include "src/graph/fused/operator_form.h"

#include "src/graph/known.h"
#include "src/graph/op.h"

namespace webnn::inline v0_1::fused {

OperatorForm::OperatorForm(std::size_t kind, const void* op) : kind_(kind) {
  // Not owned: the operator is only cloned.
  Op form = Op(kind, {std::shared_ptr<void>(), const_cast<void*>(op)}).clone();
  for (MLOperand* x : form.operands()) *x = MLOperand();
  const auto kept = std::make_shared<Op>(std::move(form));
  op_ = std::shared_ptr<const void>(kept, kept->get());
}

std::string_view OperatorForm::name() const { return op_ ? name_of_kind(kind_) : ""; }

std::size_t OperatorForm::operand_count() const {
  return op_ ? operands_of(kind_, get()).size() : 0;
}

Op OperatorForm::with(std::span<const MLOperand> operands, const std::string& label) const {
  Op op = Op(kind_, {std::shared_ptr<void>(), const_cast<void*>(get())}).clone();
  std::size_t i = 0;
  for (MLOperand* x : op.operands()) *x = operands[i++];
  // A member of this operator.
  visit_known<ops::AllOps>(
      [&](const auto& o) { const_cast<std::string&>(o.options.label) = label; }, op);
  return op;
}

}  // namespace webnn::inline v0_1::fused
