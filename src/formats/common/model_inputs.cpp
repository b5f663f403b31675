#include "src/formats/common/model_inputs.h"

#include "src/builder/builder_state.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {

const MLOperand* find_operand(const NamedOperands& all, std::string_view name) {
  for (const auto& [other, x] : all)
    if (other == name) return &x;
  return nullptr;
}

const MLOperand& operand_named(const NamedOperands& all, std::string_view name,
                               std::string_view kind, std::string_view format) {
  if (const MLOperand* x = find_operand(all, name)) return *x;
  raise({detail::format("the model has no {} {}", {kind, in_quotes(name)}), ErrorName::DataError},
        format);
}

Result<MLOperand> input_of(MLGraphBuilder& builder, const std::string& name,
                           const MLOperandDescriptor& descriptor, const NamedOperands& given) {
  const MLOperand* x = find_operand(given, name);
  if (!x) {
    try {
      return builder.input(name, descriptor);
    } catch (const TypeError& e) {
      return Failure{"input " + in_quotes(name) + ": " + e.reason(), ErrorName::DataError};
    }
  }
  if (!*x || owner_of(*x) != &detail::state_of(builder)->data)
    return fail("input {}: the operand given is of another builder", in_quotes(name));
  if (x->dataType() != descriptor.dataType || x->shape() != descriptor.shape)
    return fail("input {}: the operand given is {} {}, but the file says {} {}", in_quotes(name),
                x->dataType(), x->shape(), descriptor.dataType, descriptor.shape);
  return *x;
}

MLOperand output_of(MLGraphBuilder& builder, const std::string& name, const MLOperand& x) {
  if (x.record().kind == OperandKind::result) return x;
  return builder.identity(x, {.label = name});
}

}  // namespace webnn::inline v0_1::formats
