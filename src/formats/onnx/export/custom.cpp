// Custom operators: nodes of their domain.
#include <algorithm>
#include <cmath>

#include "src/formats/onnx/export/library_operators.h"
#include "src/graph/custom.h"
#include "src/operators/control.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// Whether a float has that number.
bool is_float(double v) { return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v; }

struct ToAttribute {
  Attribute& to;

  bool operator()(std::monostate) const { return false; }
  bool operator()(bool v) const { return to.value = std::int64_t{v}, true; }
  bool operator()(std::int64_t v) const { return to.value = v, true; }
  bool operator()(double v) const { return to.value = static_cast<float>(v), is_float(v); }
  bool operator()(const std::string& v) const { return to.value = std::string_view(v), true; }
  bool operator()(const std::vector<std::int64_t>& v) const { return to.value = v, true; }
  bool operator()(const std::vector<double>& v) const {
    to.value = std::vector<float>(v.begin(), v.end());
    return std::ranges::all_of(v, is_float);
  }
  bool operator()(const std::vector<std::string>& v) const {
    to.value = std::vector<std::string_view>(v.begin(), v.end());
    return true;
  }
};

}  // namespace

Values lower(LoweringContext& c, const ops::custom& op, std::span<const MLOperand> outputs) {
  if (auto of_onnx = lower_library(c, op, outputs)) return *std::move(of_onnx);
  const std::string_view name = op.definition->name;
  const std::size_t point = name.rfind('.');
  std::vector<MLOperandDescriptor> results;
  for (const MLOperand& y : outputs) results.push_back(y.descriptor());
  if (operators::control_form(*op.definition))
    return c.refuse(fail("its subgraphs cannot be written"));
  if (point == std::string_view::npos || point == 0 || point + 1 == name.size())
    return c.refuse(fail("its name has no period, before which ONNX has the domain"));
  const std::string_view domain = name.substr(0, point);
  Attributes attributes;
  for (const CustomAttribute& a : op.options.attributes) {
    Attribute& to = attributes.emplace_back(Attribute{a.name, std::int64_t{0}});
    if (!std::visit(ToAttribute{to}, static_cast<const CustomValue::variant&>(a.value)))
      return c.refuse(
          fail("attribute {} ({}) is not a number that a float has", a.name, text_of(a.value)));
  }
  std::vector<Value> inputs;
  for (const MLOperand& x : op.inputs) inputs.push_back(c(x));
  return c.e().custom_nodes(domain == "ai.onnx" ? "" : domain, name.substr(point + 1),
                            op.definition->version, std::move(inputs), results,
                            std::move(attributes));
}

}  // namespace webnn::inline v0_1::onnx::exporter
