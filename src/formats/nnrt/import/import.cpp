#include <algorithm>
#include <map>

#include "src/builder/savepoint.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/nnrt/import/importer.h"

namespace webnn::nnrt {
namespace {

[[noreturn]] void rethrow(const Error& e, const std::string& node, const std::string& label) {
  ErrorName name = ErrorName::DataError;
  if (dynamic_cast<const NotSupportedError*>(&e)) name = ErrorName::NotSupportedError;
  if (dynamic_cast<const InvalidStateError*>(&e)) name = ErrorName::InvalidStateError;
  if (dynamic_cast<const OperationError*>(&e)) name = ErrorName::OperationError;
  std::string reason = e.reason();
  if (e.op() != "nnrt") reason = e.op() + ": " + reason;
  raise({node + ": " + reason, name}, "nnrt", label);
}

/// The nodes of the main subgraph; all of them where there is none.
std::vector<std::uint32_t> nodes_of(const Import& import) {
  const Model& m = import.model;
  std::vector<std::uint32_t> nodes;
  if (m.subGraph.size() > 1) import.unsupported(fail("it has {} subgraphs", m.subGraph.size()));
  if (m.subGraph.empty())
    for (std::uint32_t i = 0; i < m.nodes.size(); ++i) nodes.push_back(i);
  else nodes = m.subGraph[0].nodeIndices;
  std::vector<bool> seen(m.nodes.size());
  for (const std::uint32_t i : nodes) {
    if (i >= m.nodes.size())
      import.refuse(fail("node {} is not less than the number of nodes ({})", i, m.nodes.size()));
    if (seen[i]) import.refuse(fail("node {} is in the subgraph twice", i));
    seen[i] = true;
  }
  return nodes;
}

/// Names everything at once that has no counterpart.
void check_supported(const Import& import, const std::vector<std::uint32_t>& nodes) {
  std::map<std::string, std::size_t> unknown;
  for (const std::uint32_t i : nodes) {
    const NodeType type = node_type(import.model.nodes[i].attributes);
    if (!rule_of(type)) ++unknown[name_of(type)];
  }
  if (unknown.empty()) return;
  std::string list;
  for (const auto& [name, times] : unknown)
    list += (list.empty() ? "" : ", ") + name + format(" ({})", {times});
  import.unsupported(fail("nodes without a WebNN counterpart: {}", list));
}

void import_node(Import& import, std::uint32_t index) {
  const Node& node = import.model.nodes[index];
  const NodeType type = node_type(node.attributes);
  const Rule& rule = *rule_of(type);
  try {
    for (const auto* list : {&node.inputIndex, &node.outputIndex})
      for (const std::uint32_t t : *list) import.tensor(t);
    Call call(import, node);
    if (call.inputs() < rule.min_inputs || call.inputs() > rule.max_inputs)
      call.refuse(fail("it has {} inputs", call.inputs()));
    if (call.outputs() < 1 || (rule.one_output && call.outputs() != 1))
      call.refuse(fail("it has {} outputs", call.outputs()));
    for (const std::uint32_t t : node.outputIndex) {
      if (import.values[t] || import.model.allTensors[t].data)
        call.refuse(fail("{} is written twice, or is an input or a constant", import.text(t)));
    }
    rule.import(call, node.attributes);
  } catch (const Error& e) {
    rethrow(e, format("node {} ({})", {index, name_of(type)}), import.label);
  }
}

MLOperandDescriptor input_descriptor(const Import& import, std::uint32_t index,
                                     const std::string& name) {
  const Tensor& t = import.tensor(index);
  const auto type = held_as(t.dataType);
  if (!type)
    import.unsupported(
        fail("input {}: WebNN has no type for {}", in_quotes(name), enumerator(t.dataType)));
  MLOperandDescriptor d{*type, {}};
  const auto given = import.options.shapes.find(name);
  const bool fixed = given != import.options.shapes.end();
  const auto wrong = [&](const Failure& f) {
    raise({format("input {}: ", {in_quotes(name)}) + f.message, ErrorName::TypeError}, "nnrt",
          import.label);
  };
  if (fixed && given->second.size() != t.dims.size())
    wrong(fail("the shape given ({}) has not the rank ({}) of the model", given->second,
               t.dims.size()));
  for (std::size_t i = 0; i < t.dims.size(); ++i) {
    const std::int32_t s = t.dims[i];
    if (s == 0 || s < -1)
      import.refuse(fail("input {}: dimension {} is {}", in_quotes(name), i, s));
    if (fixed && s > 0 && given->second[i] != static_cast<std::uint32_t>(s))
      wrong(fail("dimension {} of the shape given is {}, but the model says {}", i,
                 given->second[i], s));
    d.shape.push_back(fixed ? given->second[i] : s > 0 ? static_cast<std::uint32_t>(s) : 1);
  }
  return d;
}

std::optional<QuantParam> quantization_of(const Tensor& t) {
  return t.quantParams.size() == 1 ? std::optional(t.quantParams[0]) : std::nullopt;
}

/// Distinct names for those that have none, or the same as an earlier one.
std::vector<std::string> names_of(const Import& import, const std::vector<std::uint32_t>& list,
                                  std::string_view kind) {
  std::map<std::string, std::size_t> next;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string name = import.tensor(list[i]).name;
    if (name.empty()) name = std::string(kind) + '_' + std::to_string(i);
    const std::string base = name;
    while (!next.emplace(name, 1).second) name = base + '_' + std::to_string(next[base]++);
    names.push_back(std::move(name));
  }
  return names;
}

Imported import_all(Import& import) {
  const Model& m = import.model;
  Imported out{.name = m.name};
  import.values.resize(m.allTensors.size());
  const auto inputs = names_of(import, m.inputIndex, "input");
  const auto outputs = names_of(import, m.outputIndex, "output");
  for (const auto& [name, shape] : import.options.shapes)
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      raise({"there is no input " + in_quotes(name), ErrorName::TypeError}, "nnrt", import.label);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t t = m.inputIndex[i];
    if (import.values[t]) import.refuse(fail("{} is an input twice", import.text(t)));
    if (m.allTensors[t].data) import.refuse(fail("{} is an input and a constant", import.text(t)));
    try {
      import.values[t] = import.builder.input(inputs[i], input_descriptor(import, t, inputs[i]));
    } catch (const TypeError& e) {
      if (e.op() == "nnrt") throw;
      import.refuse(fail("input {}: {}", in_quotes(inputs[i]), e.reason()));
    }
    out.inputs.push_back({inputs[i], import.values[t]});
    out.input_quantization.push_back(quantization_of(m.allTensors[t]));
  }
  const auto nodes = nodes_of(import);
  check_supported(import, nodes);
  for (const std::uint32_t i : nodes) import_node(import, i);
  if (outputs.empty()) import.refuse(fail("the model has no outputs"));
  std::vector<MLOperand> used;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    MLOperand y = import.value(m.outputIndex[i]);
    const bool again =
        std::any_of(used.begin(), used.end(), [&](const MLOperand& x) { return x.is(y); });
    if (again || y.record().kind != OperandKind::result)
      y = import.builder.identity(y, {.label = outputs[i]});
    used.push_back(y);
    out.outputs.push_back({outputs[i], y});
    out.output_quantization.push_back(quantization_of(m.allTensors[m.outputIndex[i]]));
  }
  return out;
}

}  // namespace

const Rule* rule_of(NodeType type) {
  for (const auto family :
       {elementwise_rules(), layer_rules(), movement_rules(), reduction_rules()})
    for (const Rule& r : family)
      if (r.type == type) return &r;
  return nullptr;
}

Imported import_model(MLGraphBuilder& builder, const Model& model, const ImportOptions& options,
                      std::string_view label) {
  Savepoint savepoint(*detail::state_of(builder));
  Import import{builder, model, options, std::string(label)};
  try {
    Imported out = import_all(import);
    savepoint.keep();
    return out;
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "nnrt", label);
  }
}

Imported import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  return import_model(builder, read_model(path), options, path);
}

Imported import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                      std::span<const std::byte> bytes, const ImportOptions& options,
                      std::string_view label) {
  return import_model(builder, read_model(std::move(owner), bytes, label), options, label);
}

}  // namespace webnn::nnrt
