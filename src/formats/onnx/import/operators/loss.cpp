// Losses, composed.
#include <limits>

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// -weight[target] * log_probabilities[target], reduced; the classes are dimension 1.
MLOperand likelihood_loss(Call& c, const MLOperand& log, MLOperand target,
                          const std::optional<MLOperand>& weights) {
  if (log.rank() < 2) c.refuse(fail("its input has shape {}", Call::shape_text(log)));
  const std::string_view reduction = c.text("reduction", "mean");
  SizeList result = formats::sizes_of(log);
  result.erase(result.begin() + 1);
  c.require_shape(target, result, "the target");
  if (weights) c.require_shape(*weights, {Size::dimension(log, 1)}, "the weight");
  std::optional<MLOperand> factor;
  std::optional<MLOperand> counted;
  if (c.has_attribute("ignore_index")) {
    const MLOperand index = c.scalar_like(target, c.integer("ignore_index", 0));
    const MLOperand kept = c.b.notEqual(target, index);
    target = c.b.where(kept, target, c.scalar_like(target, 0));
    counted = c.b.cast(kept, log.dataType());
  }
  if (weights) factor = c.b.gather(*weights, target);
  if (counted) factor = factor ? c.b.mul(*factor, *counted) : *counted;
  SizeList column = result;
  column.insert(column.begin() + 1, 1);
  const MLOperand chosen =
      c.b.gatherElements(log, c.reshaped(target, column), {.axis = 1, .label = c.label()});
  MLOperand loss = c.b.neg(c.reshaped(chosen, result));
  // What is not counted may be infinite.
  if (counted)
    loss = c.b.where(c.b.notEqual(*counted, c.scalar_like(loss, 0)), loss, c.scalar_like(loss, 0));
  if (factor) loss = c.b.mul(loss, *factor);
  if (reduction == "none") return loss;
  const MLOperand sum = c.b.reduceSum(loss);
  if (reduction == "sum") return sum;
  if (reduction != "mean") c.refuse(fail("its reduction, {}", in_quotes(reduction)));
  return factor ? c.b.div(sum, c.b.reduceSum(*factor)) : c.b.reduceMean(loss);
}

/// WebNN wants the sizes of the dimensions beside the axis to be equal: they are.
void negative_log_likelihood(Call& c) { c.put(likelihood_loss(c, c.x(0), c.x(1), c.optional(2))); }

void softmax_cross_entropy(Call& c) {
  const MLOperand x = c.x();
  if (x.rank() < 2) c.refuse(fail("its input has shape {}", Call::shape_text(x)));
  const MLReduceOptions over{.axes = {1}, .keepDimensions = true};
  const MLOperand shifted = c.b.sub(x, c.b.reduceMax(x, over));
  const MLOperand log = c.b.sub(shifted, c.b.log(c.b.reduceSum(c.b.exp(shifted), over)));
  c.put(likelihood_loss(c, log, c.x(1), c.optional(2)));
  c.put(log, 1);
}

constexpr Handler handlers[] = {
    {"NegativeLogLikelihoodLoss", &negative_log_likelihood, 12, 2, 3, 1, "composed"},
    {"SoftmaxCrossEntropyLoss", &softmax_cross_entropy, 12, 2, 3, 2, "composed"},
};

}  // namespace

std::span<const Handler> loss_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
