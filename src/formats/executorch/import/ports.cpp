#include <map>

#include "src/formats/common/model_inputs.h"
#include "src/formats/executorch/import/plan.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {

void make_distinct(std::vector<PortName>& ports) {
  std::map<std::string, std::size_t> next;  // by name: the number for another one of it
  for (std::size_t i = 0; i < ports.size(); ++i) {
    std::string& name = ports[i].name;
    if (name.empty()) name = std::string(ports[i].kind) + '_' + std::to_string(i);
    const std::string base = name;
    while (!next.emplace(name, 1).second) name = base + '_' + std::to_string(next[base]++);
  }
}

void check_names(const Import& import, const std::vector<PortName>& inputs) {
  for (const auto& [name, shape] : import.options.shapes) {
    bool found = false;
    for (const PortName& p : inputs) found = found || p.name == name;
    if (found) continue;
    std::vector<formats::InputText> all;
    for (const PortName& p : inputs) all.push_back({p.name, {}});
    wrong_option(import.source, formats::no_input(name, all));
  }
}

std::vector<OutputPort> chosen_outputs(
    const Import& import, std::vector<OutputPort> all,
    const std::function<std::optional<std::uint32_t>(const std::string& name)>& find) {
  if (import.options.outputs.empty()) return all;
  std::vector<OutputPort> chosen;
  for (const std::string& name : import.options.outputs) {
    std::optional<std::uint32_t> value;
    for (const OutputPort& port : all)
      if (port.name == name) value = port.value;
    if (!value) value = find(name);
    if (!value) wrong_option(import.source, fail("there is no value {}", in_quotes(name)));
    for (const OutputPort& other : chosen)
      if (other.name == name)
        wrong_option(import.source, fail("there are two outputs {}", in_quotes(name)));
    chosen.push_back({*value, name});
  }
  return chosen;
}

MLOperand Ports::input(const std::string& name, MLOperandDescriptor d,
                       const std::vector<bool>& fixed) {
  const Source& source = import_.source;
  if (const auto given = import_.options.shapes.find(name); given != import_.options.shapes.end()) {
    const Dims shape(given->second.begin(), given->second.end());
    if (shape.size() != d.shape.size())
      wrong_option(source,
                   fail("input {}: the shape given ({}) does not have the rank ({}) of the file",
                        in_quotes(name), shape, d.shape.size()));
    for (std::size_t i = 0; i < shape.size() && i < fixed.size(); ++i)
      if (shape[i] != d.shape[i] && (fixed[i] || shape[i] > d.shape[i]))
        wrong_option(source,
                     fail("input {}: dimension {} of the shape given is {}, but the file says {}{}",
                          in_quotes(name), i, shape[i], fixed[i] ? "" : "at most ", d.shape[i]));
    d.shape = shape;
  }
  try {
    return import_.builder.input(name, d);
  } catch (const TypeError& e) {
    refuse(source, fail("input {}: {}", in_quotes(name), e.reason()));
  }
}

MLOperand Ports::result(MLOperand y, const std::string& name) {
  bool again = y.record().kind != OperandKind::result;
  for (const MLOperand& other : outputs_) again = again || other.is(y);
  if (again) y = import_.builder.identity(y, {.label = name});
  outputs_.push_back(y);
  return y;
}

std::optional<Quantization> quantization_of(const ValueInfo& v) {
  if (!v.scales || v.scales->count != 1 || v.scales->group > 0) return std::nullopt;
  return Quantization{v.scales->at(0), static_cast<std::int32_t>(v.scales->zero)};
}

MLOperand output_of(Delegate& delegate, std::uint32_t id) {
  const ValueInfo& v = delegate.info(id);
  if (!delegate.has_value(id) && v.constant == 0)
    delegate.refuse(fail("{} is an output, but no node writes it", v.text()));
  const Stored& s = delegate.value(id);
  return s.row_scale ? delegate.import().builder.mul(s.elements, *s.row_scale) : s.elements;
}

}  // namespace webnn::inline v0_1::executorch
