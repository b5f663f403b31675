#include "src/passes/transposed_custom.h"

#include <new>

#include "src/graph/custom.h"
#include "src/passes/permutation.h"

namespace webnn::inline v0_1 {
namespace {

void permute(std::vector<MLOperandDescriptor>& all, const Dims& permutation) {
  for (MLOperandDescriptor& d : all)
    if (d.shape.size() == permutation.size()) d.shape = permuted(d.shape, permutation);
}

std::optional<CustomAttributes> said(const CustomOperator& o, const CustomCall& call,
                                     const Dims& permutation) {
  try {
    return o.transposed(call, permutation);
  } catch (const std::bad_alloc&) { throw; } catch (...) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ops::custom> transposed_custom(const ops::custom& op,
                                             std::span<const MLOperand> results,
                                             const Dims& permutation) {
  if (!op.definition || !op.definition->transposed) return std::nullopt;
  for (const MLOperand& x : op.inputs)
    if (bits_of(x.dataType()) < 8) return std::nullopt;
  for (const MLOperand& y : results)
    if (bits_of(y.dataType()) < 8) return std::nullopt;
  CustomCall call = call_of(op, results);
  auto given = said(*op.definition, call, permutation);
  if (!given) return std::nullopt;
  auto attributes = completed(*op.definition, *std::move(given));
  if (!attributes) return std::nullopt;

  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    if (call.inputs[i].shape.size() == permutation.size()) call.constants[i].reset();
  permute(call.inputs, permutation);
  std::vector<MLOperandDescriptor> expected = std::move(call.outputs);
  permute(expected, permutation);
  call.outputs.clear();
  call.attributes = *attributes;
  const auto inferred = inferred_results(*op.definition, call);
  if (!inferred || *inferred != expected) return std::nullopt;
  ops::custom changed = op;
  changed.options.attributes = *std::move(attributes);
  return changed;
}

}  // namespace webnn::inline v0_1
