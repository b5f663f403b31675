#include "src/passes/evaluated.h"

#include <deque>

#include "src/graph/recipe.h"
#include "src/kernels/reference/evaluate.h"

namespace webnn::inline v0_1 {
namespace {

/// An operator without its operands, of which the descriptors remain.
struct Form {
  Op op;
  std::vector<MLOperandDescriptor> operands{};
  MLOperandDescriptor result;
};

Constant evaluate_form(const Form& form, std::span<const Constant> values) {
  std::deque<OperandRecord> records;
  const auto constant = [&](std::size_t i) {
    return borrowed(records.emplace_back(OperandRecord{
        .descriptor = form.operands[i], .kind = OperandKind::constant, .constant = values[i]}));
  };
  Op op = form.op.clone();
  std::size_t i = 0;
  for (MLOperand* x : op.operands()) *x = constant(i++);
  const MLOperand y = borrowed(records.emplace_back(OperandRecord{.descriptor = form.result}));
  const std::vector<MLOperand> results{y};
  return evaluate(Node(op.kind(), op.get(), results)).front();
}

}  // namespace

Constant evaluated(const GraphData& graph, const NodeData& node,
                   std::span<const Constant> operands) {
  Form form{node.op.clone(), {}, node.outputs.front().record().descriptor};
  Recipe how("evaluate");
  how << node.op << form.result;
  for (MLOperand* x : form.op.operands()) {
    how << form.operands.emplace_back(x->record().descriptor);
    *x = MLOperand();
  }
  return derived(graph, how.text(), operands,
                 [form = std::move(form)](std::span<const Constant> values) {
                   return evaluate_form(form, values);
                 });
}

}  // namespace webnn::inline v0_1
