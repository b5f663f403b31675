#include <algorithm>
#include <cstring>
#include <map>

#include "src/builder/savepoint.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/common/open_dimensions.h"
#include "src/formats/tflite/import/importer.h"
#include "src/graph/failure.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::tflite {
namespace {

/// The tensors that the caller sees, with the names that they have for the caller.
struct Port {
  std::int32_t tensor = 0;
  std::string name{};
};
struct Ports {
  std::size_t subgraph = 0;
  std::vector<Port> inputs{}, outputs{};
};

[[noreturn]] void wrong_option(const File& file, const Failure& f) {
  raise({f.message, ErrorName::TypeError}, "tflite", file.label);
}

/// Distinct names for tensors that have none, or the same as an earlier one.
void make_distinct(std::vector<Port>& ports, std::string_view kind) {
  std::map<std::string, std::size_t> next;  // by name: the number for another one of it
  for (std::size_t i = 0; i < ports.size(); ++i) {
    std::string& name = ports[i].name;
    if (name.empty()) name = std::string(kind) + '_' + std::to_string(i);
    const std::string base = name;
    while (!next.emplace(name, 1).second) name = base + '_' + std::to_string(next[base]++);
  }
}

const schema::SignatureDef& find_signature(const File& file, const std::string& key) {
  const auto* all = file.model->signature_defs();
  std::string others;
  for (fb::uoffset_t i = 0; i < size_of(all); ++i) {
    if (text_of(all->Get(i)->signature_key()) == key) return *all->Get(i);
    if (i < 20) others += (i ? ", " : "") + in_quotes(text_of(all->Get(i)->signature_key()));
  }
  wrong_option(file, fail("there is no signature {}; the file has {}", in_quotes(key),
                          others.empty() ? "none" : others));
}

const schema::SubGraph& find_subgraph(const File& file, std::uint64_t index, bool by_caller) {
  const auto* all = file.model->subgraphs();
  if (index < size_of(all)) return *all->Get(static_cast<fb::uoffset_t>(index));
  const Failure f = fail("there is no subgraph {}: the file has {}", index, size_of(all));
  if (by_caller) wrong_option(file, f);
  refuse(file, f);
}

std::string name_in(const schema::SubGraph& graph, std::int32_t tensor) {
  if (tensor < 0 || static_cast<std::size_t>(tensor) >= size_of(graph.tensors())) return {};
  return std::string(text_of(graph.tensors()->Get(static_cast<fb::uoffset_t>(tensor))->name()));
}

/// Inputs in the order of the subgraph, with the names of the signature; outputs in its order.
void take_signature(const File& file, const schema::SignatureDef& signature, Ports& ports) {
  const auto places = [](const std::vector<Port>& list) {
    std::map<std::uint32_t, std::size_t> out;
    for (std::size_t i = 0; i < list.size(); ++i)
      out.emplace(static_cast<std::uint32_t>(list[i].tensor), i);
    return out;
  };
  const auto inputs = places(ports.inputs), outputs = places(ports.outputs);
  const auto place_of = [&](const schema::TensorMap& map, const auto& known,
                            std::string_view kind) {
    const auto found = known.find(map.tensor_index());
    if (found == known.end())
      refuse(file, fail("the signature's {} {} is tensor {}, which is not an {} of the subgraph",
                        kind, in_quotes(text_of(map.name())), map.tensor_index(), kind));
    return found->second;
  };
  for (fb::uoffset_t i = 0; i < size_of(signature.inputs()); ++i) {
    const schema::TensorMap& map = *signature.inputs()->Get(i);
    ports.inputs[place_of(map, inputs, "input")].name = text_of(map.name());
  }
  std::vector<Port> named;
  for (fb::uoffset_t i = 0; i < size_of(signature.outputs()); ++i) {
    const schema::TensorMap& map = *signature.outputs()->Get(i);
    const std::int32_t tensor = ports.outputs[place_of(map, outputs, "output")].tensor;
    named.push_back({tensor, std::string(text_of(map.name()))});
  }
  ports.outputs = std::move(named);
}

/// The tensors that ImportOptions::outputs names.
void take_outputs(const File& file, const std::vector<std::string>& names, Ports& ports) {
  const schema::SubGraph& graph = find_subgraph(file, ports.subgraph, false);
  std::vector<Port> chosen;
  for (const std::string& name : names) {
    std::int32_t tensor = -1;
    for (const Port& port : ports.outputs)
      if (tensor < 0 && port.name == name) tensor = port.tensor;
    for (fb::uoffset_t i = 0; tensor < 0 && i < size_of(graph.tensors()); ++i)
      if (text_of(graph.tensors()->Get(i)->name()) == name) tensor = static_cast<std::int32_t>(i);
    if (tensor < 0) wrong_option(file, fail("there is no tensor {}", in_quotes(name)));
    chosen.push_back({tensor, name});
  }
  ports.outputs = std::move(chosen);
}

Ports find_ports(Import& import) {
  const File& file = import.file;
  const ImportOptions& options = import.options;
  Ports ports{.subgraph = chosen_subgraph(file, options)};
  const schema::SignatureDef* signature = nullptr;
  if (!options.signature.empty()) signature = &find_signature(file, options.signature);
  const schema::SubGraph& graph = find_subgraph(file, ports.subgraph, signature == nullptr);
  if (auto bad = import.budget.count(size_of(graph.inputs()) + size_of(graph.outputs())))
    refuse(file, *bad);
  for (std::int32_t t : elements_of(graph.inputs())) ports.inputs.push_back({t, name_in(graph, t)});
  for (std::int32_t t : elements_of(graph.outputs()))
    ports.outputs.push_back({t, name_in(graph, t)});
  if (signature) take_signature(file, *signature, ports);
  for (const auto* list : {&ports.inputs, &ports.outputs})
    for (const Port& port : *list)
      if (auto bad = import.budget.count(port.name.size())) refuse(file, *bad);
  make_distinct(ports.inputs, "input");
  make_distinct(ports.outputs, "output");
  if (!options.outputs.empty()) take_outputs(file, options.outputs, ports);
  return ports;
}

/// The name of an open dimension, to which the format gives none.
std::string dimension_name(const std::string& input, std::size_t i) {
  return format("{}_axis{}", {input, i});
}

/// A dimension of an input that the file leaves open and whose size the options may give.
MLDimension open_dimension(const Import& import, const std::string& input, std::size_t i) {
  std::string name = dimension_name(input, i);
  const auto given = import.options.dimensions.find(name);
  if (given != import.options.dimensions.end()) return given->second;
  if (import.options.unknown_dimension) return *import.options.unknown_dimension;
  return name;
}

/// The shape of an input: what the file leaves open, the options or runs decide.
MLInputOperandDescriptor input_descriptor(Import& import, const TensorInfo& t,
                                          const std::string& name) {
  const File& file = import.file;
  const auto subject = format("input {}", {in_quotes(name)});
  if (!t.dataType)
    unsupported(file, fail("{}: WebNN has no type for {}", subject, name_of_type(t.type)));
  const auto given = import.options.shapes.find(name);
  const bool fixed = given != import.options.shapes.end();
  const bool any_shape = t.shape.empty() && !t.has_rank;
  if (fixed && !any_shape && given->second.size() != t.shape.size())
    wrong_option(file, fail("{}: the shape given ({}) does not have the rank ({}) of the file",
                            subject, given->second, t.shape.size()));
  MLInputOperandDescriptor d{*t.dataType, {}};
  if (fixed && any_shape) d.shape = Dims(given->second);
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    const std::int32_t known = t.shape[i];
    if (known == 0) refuse(file, fail("{}: its dimension {} is 0", subject, i));
    if (fixed && known > 0 && given->second[i] != static_cast<std::uint32_t>(known))
      wrong_option(file, fail("{}: dimension {} of the shape given is {}, but the file says {}",
                              subject, i, given->second[i], known));
    if (fixed) d.shape.push_back(given->second[i]);
    else if (known > 0) d.shape.push_back(known);
    else d.shape.push_back(open_dimension(import, name, i));
  }
  return d;
}

/// An input of the graph, or the operand that takes its place.
MLOperand make_input(Import& import, const TensorInfo& t, const std::string& name) {
  const MLOperand* given = formats::find_operand(import.options.inputs, name);
  const File& file = import.file;
  if (!given) {
    MLInputOperandDescriptor d = input_descriptor(import, t, name);
    try {
      return import.builder.input(name, std::move(d));
    } catch (const TypeError& e) {
      refuse(file, fail("input {}: {}", in_quotes(name), e.reason()));
    }
  }
  if (!*given || owner_of(*given) != &detail::state_of(import.builder)->data)
    wrong_option(file,
                 fail("input {}: the given operand belongs to another builder", in_quotes(name)));
  if (given->dataType() != t.dataType)
    wrong_option(file, fail("input {}: the operand given is {}, but the file says {}",
                            in_quotes(name), given->dataType(), name_of_type(t.type)));
  const auto own = given->dimensions();
  bool same = own && (t.shape.size() == own->size() || (t.shape.empty() && !t.has_rank));
  for (std::size_t i = 0; same && i < t.shape.size(); ++i)
    same = t.shape[i] == -1 || (*own)[i].is_open() ||
           static_cast<std::uint32_t>(t.shape[i]) == (*own)[i].size();
  if (!same)
    wrong_option(file, fail("input {}: the operand given has shape {}, which is not the file's",
                            in_quotes(name), formats::shape_text(own)));
  return *given;
}

/// The values that ImportOptions::values has for an input.
MLOperand given_value(Import& import, const TensorInfo& t, const std::string& name,
                      const ImportOptions::Value& given) {
  const File& file = import.file;
  const std::string subject = format("input {}", {in_quotes(name)});
  if (!t.dataType)
    unsupported(file, fail("{}: WebNN has no type for {}", subject, name_of_type(t.type)));
  bool fits = t.shape.size() == given.shape.size() || (t.shape.empty() && !t.has_rank);
  std::uint64_t elements = 1;
  for (std::size_t i = 0; fits && i < given.shape.size(); ++i) {
    elements *= given.shape[i];
    fits = elements <= max_tensor_byte_length &&
           (i >= t.shape.size() || t.shape[i] < 0 ||
            static_cast<std::uint32_t>(t.shape[i]) == given.shape[i]);
  }
  if (!fits || elements == 0)
    wrong_option(file, fail("{}: the shape of the values given ({}) is not that of the file",
                            subject, given.shape));
  if (given.type && *given.type != *t.dataType)
    wrong_option(file, fail("{}: the values given are {}, but the file says {}", subject,
                            *given.type, name_of_type(t.type)));
  const MLOperandDescriptor d{*t.dataType, given.shape};
  if (given.bytes.size() != byte_length(d))
    wrong_option(
        file,
        fail("{}: the values given have {} bytes, which is not the size of shape {} and type {}",
             subject, given.bytes.size(), given.shape, *t.dataType));
  return import.builder.constant(d, given.bytes);
}

/// Raises unless an input has an open dimension of each name in ImportOptions::dimensions.
void check_dimension_names(const Import& import, Scope& scope, const std::vector<Port>& inputs) {
  for (const auto& [name, size] : import.options.dimensions) {
    bool found = false;
    for (const Port& port : inputs) {
      const auto& shape = scope.tensor(port.tensor).shape;
      for (std::size_t i = 0; i < shape.size(); ++i)
        found = found || (shape[i] < 0 && dimension_name(port.name, i) == name);
    }
    if (!found)
      wrong_option(import.file, fail("no input has a dimension named {}", in_quotes(name)));
  }
}

std::string type_text(const TensorInfo& t) {
  return formats::lower_case(name_of_type(t.type)) + ' ' +
         formats::view_shape(std::vector<std::int64_t>(t.shape.begin(), t.shape.end()));
}

void check_option_names(const Import& import, Scope& scope, const std::vector<Port>& inputs) {
  const auto check = [&](std::string_view name) {
    if (std::ranges::find(inputs, name, &Port::name) != inputs.end()) return;
    std::vector<formats::InputText> all;
    for (const Port& port : inputs)
      all.push_back({port.name, type_text(scope.tensor(port.tensor))});
    wrong_option(import.file, formats::no_input(name, all));
  };
  for (const auto& [name, shape] : import.options.shapes) check(name);
  for (const auto& [name, x] : import.options.inputs) check(name);
}

void import_inputs(Import& import, Scope& scope, const std::vector<Port>& ports, Model& model) {
  for (const Port& port : ports) {
    const TensorInfo& t = scope.tensor(port.tensor);
    if (t.constant()) refuse(import.file, fail("{} is an input and a constant", t.text()));
    if (scope.has_value(port.tensor)) refuse(import.file, fail("{} is an input twice", t.text()));
    const auto value = import.options.values.find(port.name);
    if (value != import.options.values.end() && import.known_inputs.count(port.name)) {
      scope.set(port.tensor, given_value(import, t, port.name, value->second));
      continue;
    }
    const MLOperand x = make_input(import, t, port.name);
    if (x.is_open() && !import.partial) {
      import.partial = std::make_unique<formats::PartialValues>(import.builder);
      detail::state_of(import.builder)->data.relies_on_known_sizes = true;
    }
    scope.set(port.tensor, x);
    model.inputs.push_back({port.name, x});
    model.input_quantization.push_back(quantization_of(t));
  }
}

Model import_file(MLGraphBuilder& builder, File file, const ImportOptions& options) {
  Savepoint savepoint(*detail::state_of(builder));
  const std::uint64_t size = file.bytes.size();
  Import import{builder, std::move(file), options, {options.max_bytes, size}};
  try {
    Model model = import_all(import);
    detail::state_of(builder)->data.requantization = Requantization::fixedPoint;
    savepoint.keep();
    return model;
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "tflite", import.file.label);
  }
}

}  // namespace

std::size_t chosen_subgraph(const File& file, const ImportOptions& options) {
  if (options.signature.empty()) return options.subgraph;
  return find_signature(file, options.signature).subgraph_index();
}

namespace {

/// Variables become states that the graph keeps: inputs and outputs after those of the file.
void add_states(Import& import, const Ports& ports, Model& model) {
  std::vector<Port> outputs = ports.outputs;
  for (const Variable& v : import.variables)
    if (v.input) outputs.push_back({-1, v.name + "_next"});
  make_distinct(outputs, "output");
  std::size_t place = ports.outputs.size();
  for (const Variable& v : import.variables) {
    if (!v.input) continue;
    const std::string& name = outputs[place++].name;
    MLOperand next = v.value;
    if (next.record().kind != OperandKind::result)
      next = import.builder.identity(next, {.label = name});
    keepState(import.builder, v.input, next, v.initial);
    model.inputs.push_back({v.input.record().name, v.input});
    model.input_quantization.push_back(v.quantization);
    model.outputs.push_back({name, next});
    model.output_quantization.push_back(v.quantization);
  }
}

Model attempt(Import& import) {
  import.variables.clear();
  const File& file = import.file;
  const Ports ports = find_ports(import);
  Model model;
  model.description = text_of(file.model->description());
  Scope scope(import, ports.subgraph);
  const std::size_t first_node = detail::state_of(import.builder)->data.nodes.size();
  check_option_names(import, scope, ports.inputs);
  check_dimension_names(import, scope, ports.inputs);
  import_inputs(import, scope, ports.inputs, model);
  if (ports.outputs.empty()) refuse(file, fail("the subgraph has no outputs"));
  std::vector<std::int32_t> tensors;
  for (const Port& port : ports.outputs) tensors.push_back(port.tensor);
  scope.import_operators(tensors);
  for (const Port& port : ports.outputs) {
    MLOperand y = scope.value(port.tensor);
    if (y.record().kind != OperandKind::result)
      y = import.builder.identity(y, {.label = port.name});
    model.outputs.push_back({port.name, y});
    model.output_quantization.push_back(quantization_of(scope.tensor(port.tensor)));
  }
  add_states(import, ports, model);
  if (import.partial)
    formats::keep_sources(import.builder, *import.partial, first_node, model.outputs);
  return model;
}

}  // namespace

Model import_all(Import& import) {
  const formats::Budget budget = import.budget;
  for (;;) {
    import.budget = budget;
    import.partial.reset();
    import.wanted_inputs.clear();
    if (import.log) import.log->clear();
    Savepoint savepoint(*detail::state_of(import.builder));
    try {
      Model model = attempt(import);
      savepoint.keep();
      return model;
    } catch (const NeedsInput&) {}
    const std::size_t before = import.known_inputs.size();
    import.known_inputs.merge(import.wanted_inputs);
    if (import.known_inputs.size() == before)
      refuse(import.file, fail("an input whose value is given is not known"));
  }
}

const MLOperand& Model::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "tflite");
}
const MLOperand& Model::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "tflite");
}

Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "tflite", path);
  return import_file(builder, open_file(std::move(file->owner), file->bytes, path), options);
}

Model import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                   std::span<const std::byte> bytes, const ImportOptions& options,
                   std::string_view label) {
  return import_file(builder, open_file(std::move(owner), bytes, label), options);
}

Model import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                   const ImportOptions& options, std::string_view label) {
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(*copy);
  return import_file(builder, open_file(std::move(copy), view, label), options);
}

}  // namespace webnn::inline v0_1::tflite
