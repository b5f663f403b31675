// Nodes that are custom operators of the context.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {

std::shared_ptr<const CustomOperator> custom_operator_of(const Import& import, const Node& node,
                                                         std::int64_t version) {
  std::shared_ptr<const CustomOperator> found;
  const std::string_view domain = node.domain.empty() ? "ai.onnx" : node.domain;
  const auto consider = [&](const std::shared_ptr<const CustomOperator>& o) {
    const std::string_view name = o->name;
    const std::size_t point = name.rfind('.');
    if (point == std::string_view::npos || name.substr(0, point) != domain ||
        name.substr(point + 1) != node.op_type)
      return;
    if (std::int64_t{o->version} > std::max<std::int64_t>(version, 1)) return;
    if (!found || found->version < o->version) found = o;
  };
  for (const auto& o : custom_operators(import.builder.context())) consider(o);
  for (const auto& o : operators::all()) consider(o);
  return found;
}

CustomAttributes Call::custom_attributes() const {
  CustomAttributes all;
  for (const Attribute& given : node_.attributes) {
    const Attribute* a = attribute(given.name);
    if (!a) continue;  // a function's call leaves it out
    CustomAttribute& to = all.emplace_back(CustomAttribute{std::string(given.name), {}});
    switch (a->type) {
      case AttributeType::integer: to.value = integer_of(*a); break;
      case AttributeType::real: to.value = real_of(*a); break;
      case AttributeType::text: to.value = std::string(text_of(*a)); break;
      case AttributeType::integers: to.value = integers_of(*a); break;
      case AttributeType::reals: {
        const std::vector<float> list = reals_of(*a);
        to.value = std::vector<double>(list.begin(), list.end());
        break;
      }
      case AttributeType::texts: {
        const auto list = texts_of(*a);
        to.value = std::vector<std::string>(list.begin(), list.end());
        break;
      }
      default:
        unsupported(fail("its attribute {} is of a type that custom operators do not have",
                         in_quotes(given.name)));
    }
  }
  return all;
}

void import_custom(Call& call, std::shared_ptr<const CustomOperator> definition) {
  std::vector<MLOperand> inputs;
  for (std::size_t i = 0; i < call.inputs(); ++i) inputs.push_back(call.x(i));
  const std::vector<MLOperand> results =
      call.b.custom(std::move(definition), std::move(inputs),
                    {.attributes = call.custom_attributes(), .label = call.label()});
  if (call.outputs() > results.size())
    call.unsupported(
        fail("it has {} outputs, but its custom operator has {}", call.outputs(), results.size()));
  for (std::size_t i = 0; i < call.outputs(); ++i)
    if (call.has_output(i)) call.put(results[i], i);
}

}  // namespace webnn::inline v0_1::onnx
