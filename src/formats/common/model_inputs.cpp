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

Failure no_input(std::string_view name, const std::vector<InputText>& inputs) {
  constexpr std::size_t shown = 30;
  std::vector<std::string> all;
  for (const InputText& x : inputs) {
    if (all.size() == shown) {
      all.push_back(detail::format("{} more", {inputs.size() - shown}));
      break;
    }
    all.push_back(in_quotes(x.name) + (x.type.empty() ? "" : " (" + x.type + ')'));
  }
  return detail::fail("there is no input {}; the model has {}", in_quotes(name),
                      all.empty() ? "none" : joined(all));
}

Failure no_input(std::string_view name, const NamedOperands& inputs) {
  std::vector<InputText> all;
  for (const auto& [own, x] : inputs)
    all.push_back({own, std::string(name_of(x.dataType())) + ' ' + shape_text(x.dimensions())});
  return no_input(name, all);
}

namespace {

bool can_be(const MLOperand& x, const MLDimensions& shape) {
  const auto given = x.dimensions();
  if (!given || given->size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_open() && (*given)[i] != shape[i]) return false;
  return true;
}

}  // namespace

std::string shape_text(const std::optional<MLDimensions>& shape) {
  if (!shape) return "of any rank";
  return '[' +
         joined(*shape, ", ",
                [](const MLDimension& d) {
                  return d.is_open() ? in_quotes(d.dynamic().name) : std::to_string(d.size());
                }) +
         ']';
}

Result<MLOperand> input_of(MLGraphBuilder& builder, const std::string& name,
                           const MLInputOperandDescriptor& descriptor, const NamedOperands& given) {
  const MLOperand* x = find_operand(given, name);
  if (!x) {
    try {
      return builder.input(name, descriptor);
    } catch (const TypeError& e) {
      return Failure{"input " + in_quotes(name) + ": " + e.reason(), ErrorName::DataError};
    }
  }
  if (!*x || owner_of(*x) != &detail::state_of(builder)->data)
    return fail("input {}: the given operand belongs to another builder", in_quotes(name));
  if (x->dataType() != descriptor.dataType || !can_be(*x, descriptor.shape))
    return fail("input {}: the operand given is {} {}, but the file says {} {}", in_quotes(name),
                x->dataType(), shape_text(x->dimensions()), descriptor.dataType,
                shape_text(descriptor.shape));
  return *x;
}

MLOperand output_of(MLGraphBuilder& builder, const std::string& name, const MLOperand& x) {
  if (x.record().kind == OperandKind::result) return x;
  return builder.identity(x, {.label = name});
}

}  // namespace webnn::inline v0_1::formats
