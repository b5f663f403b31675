#include <algorithm>
#include <map>

#include "src/builder/savepoint.h"
#include "src/formats/common/failures.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/nnrt/import/importer.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::nnrt {
namespace {

/// `inputIndex (byte 123)`.
std::string place(std::string_view name, std::uint64_t offset) {
  return offset == 0 ? std::string(name) : format("{} (byte {})", {name, offset});
}

/// The nodes of the main subgraph; all of them where there is none.
std::vector<std::uint32_t> nodes_of(const Import& import) {
  const Model& m = import.model;
  const std::string where = place("subGraph", import.offsets.subgraphs);
  std::vector<std::uint32_t> nodes;
  if (m.subGraph.size() > 1)
    import.unsupported(fail("{}: there are {} subgraphs", where, m.subGraph.size()));
  if (m.subGraph.empty())
    for (std::uint32_t i = 0; i < m.nodes.size(); ++i) nodes.push_back(i);
  else nodes = m.subGraph[0].nodeIndices;
  std::vector<bool> seen(m.nodes.size());
  for (const std::uint32_t i : nodes) {
    if (i >= m.nodes.size())
      import.refuse(
          fail("{}: node {} is not less than the number of nodes ({})", where, i, m.nodes.size()));
    if (seen[i]) import.refuse(fail("{}: node {} is there twice", where, i));
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
  const std::string list = joined(unknown, ", ", [](const auto& found) {
    return found.first + format(" ({})", {found.second});
  });
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
    std::string name = name_of(type);
    if (index < import.offsets.nodes.size())
      name += format(", byte {}", {import.offsets.nodes[index]});
    formats::rethrow(e, format("node {} ({})", {index, name}), "nnrt", import.label);
  }
}

MLOperandDescriptor input_descriptor(const Import& import, std::uint32_t index,
                                     const std::string& name) {
  const Tensor& t = import.tensor(index);
  const auto type = held_as(t.dataType);
  if (!type)
    import.unsupported(
        fail("{}: WebNN has no type for {}", import.text(index), enumerator(t.dataType)));
  MLOperandDescriptor d{*type, {}};
  const auto given = import.options.shapes.find(name);
  const bool fixed = given != import.options.shapes.end();
  const auto wrong = [&](const Failure& f) {
    raise({format("input {}: ", {in_quotes(name)}) + f.message, ErrorName::TypeError}, "nnrt",
          import.label);
  };
  if (fixed && given->second.size() != t.dims.size())
    wrong(fail("the shape given ({}) does not have the rank ({}) of the model", given->second,
               t.dims.size()));
  for (std::size_t i = 0; i < t.dims.size(); ++i) {
    const std::int32_t s = t.dims[i];
    if (s == 0 || s < -1) import.refuse(fail("{}: dimension {} is {}", import.text(index), i, s));
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
                                  std::string_view kind, const std::string& where) {
  if (const auto bad = std::find_if(list.begin(), list.end(),
                                    [&](auto t) { return t >= import.model.allTensors.size(); });
      bad != list.end())
    import.refuse(fail("{}: tensor {} is not less than the number of tensors ({})", where, *bad,
                       import.model.allTensors.size()));
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

/// A tensor that becomes an output, and its name there.
struct Output {
  std::uint32_t tensor = 0;
  std::string name{};
};

/// Those of the model, or those that ImportOptions::outputs names.
std::vector<Output> outputs_of(const Import& import, const std::string& where) {
  const std::vector<std::uint32_t>& list = import.model.outputIndex;
  const auto names = names_of(import, list, "output", where);
  std::vector<Output> all, chosen;
  for (std::size_t i = 0; i < list.size(); ++i) all.push_back({list[i], names[i]});
  for (const std::string& name : import.options.outputs) {
    auto found =
        std::find_if(all.begin(), all.end(), [&](const Output& o) { return o.name == name; });
    const auto& tensors = import.model.allTensors;
    const auto named = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const Tensor& t) { return t.name == name; });
    if (found == all.end() && named == tensors.end())
      raise({"there is no tensor " + in_quotes(name), ErrorName::TypeError}, "nnrt", import.label);
    for (const Output& o : chosen)
      if (o.name == name)
        raise({"there are two outputs " + in_quotes(name), ErrorName::TypeError}, "nnrt",
              import.label);
    if (found != all.end()) chosen.push_back(*found);
    else chosen.push_back({static_cast<std::uint32_t>(named - tensors.begin()), name});
  }
  return chosen.empty() ? all : chosen;
}

Imported import_all(Import& import) {
  const Model& m = import.model;
  Imported out{.name = m.name};
  import.values.resize(m.allTensors.size());
  const std::string at_inputs = place("inputIndex", import.offsets.inputs),
                    at_outputs = place("outputIndex", import.offsets.outputs);
  const auto inputs = names_of(import, m.inputIndex, "input", at_inputs);
  const auto outputs = outputs_of(import, at_outputs);
  for (const auto& [name, shape] : import.options.shapes)
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
      std::vector<formats::InputText> all;
      for (const std::string& own : inputs) all.push_back({own, {}});
      raise(formats::no_input(name, all), "nnrt", import.label);
    }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t t = m.inputIndex[i];
    if (import.values[t] || m.allTensors[t].data)
      import.refuse(fail("{}: {} is there twice, or a constant", at_inputs, import.text(t)));
    try {
      import.values[t] = import.builder.input(inputs[i], input_descriptor(import, t, inputs[i]));
    } catch (const TypeError& e) {
      if (e.op() == "nnrt") throw;
      import.refuse(fail("{}: {}", import.text(t), e.reason()));
    }
    out.inputs.push_back({inputs[i], import.values[t]});
    out.input_quantization.push_back(quantization_of(m.allTensors[t]));
  }
  const auto nodes = nodes_of(import);
  check_supported(import, nodes);
  for (const std::uint32_t i : nodes) import_node(import, i);
  if (outputs.empty()) import.refuse(fail("{}: there are no outputs", at_outputs));
  std::vector<MLOperand> used;
  for (const auto& [tensor, name] : outputs) {
    MLOperand y = import.value(tensor);
    const bool again =
        std::any_of(used.begin(), used.end(), [&](const MLOperand& x) { return x.is(y); });
    if (again || y.record().kind != OperandKind::result)
      y = import.builder.identity(y, {.label = name});
    used.push_back(y);
    out.outputs.push_back({name, y});
    out.output_quantization.push_back(quantization_of(m.allTensors[tensor]));
  }
  return out;
}

}  // namespace

const Rule* rule_of(NodeType type) {
  for (const auto family : {elementwise_rules(), layer_rules(), resize_rules(), recurrent_rules(),
                            movement_rules(), block_rules(), generator_rules(), reduction_rules()})
    for (const Rule& r : family)
      if (r.type == type) return &r;
  return nullptr;
}

const MLOperand& Imported::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "nnrt");
}
const MLOperand& Imported::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "nnrt");
}

namespace {

Imported import_file(MLGraphBuilder& builder, const Model& model, const Offsets& offsets,
                     std::uint64_t bytes, const ImportOptions& options, std::string_view label) {
  Savepoint savepoint(*detail::state_of(builder));
  Import import{builder, model, offsets, options, std::string(label), {options.max_bytes, bytes}};
  try {
    Imported out = import_all(import);
    savepoint.keep();
    return out;
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "nnrt", label);
  }
}

}  // namespace

Imported import_model(MLGraphBuilder& builder, const Model& model, const ImportOptions& options,
                      std::string_view label) {
  std::uint64_t bytes = 0;
  for (const Tensor& t : model.allTensors) bytes += t.data ? t.data->bytes().size() : 0;
  return import_file(builder, model, {}, bytes, options, label);
}

Imported import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "nnrt", path);
  return import_model(builder, std::move(file->owner), file->bytes, options, path);
}

Imported import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                      std::span<const std::byte> bytes, const ImportOptions& options,
                      std::string_view label) {
  const ModelFile file = read_file(std::move(owner), bytes, label, options.max_bytes);
  return import_file(builder, file.model, file.offsets, bytes.size(), options, label);
}

Imported import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                      const ImportOptions& options, std::string_view label) {
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(*copy);
  return import_model(builder, std::move(copy), view, options, label);
}

}  // namespace webnn::inline v0_1::nnrt
