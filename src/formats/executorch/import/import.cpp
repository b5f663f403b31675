#include "src/builder/savepoint.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/executorch/import/plan.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

Model import_graph(Import& import) {
  auto blob = open_blob(import.source, {});
  if (!blob) raise_named(import.source, blob.failure());
  const std::string identifier = blob->identifier;
  Delegate delegate(import, std::move(*blob), "");
  Ports ports(import);
  Model model;
  model.description = "XNNPACK graph " + identifier;
  std::vector<PortName> inputs, outputs;
  for (const External& e : delegate.inputs())
    inputs.push_back({std::string(delegate.name(e.value)), "input"});
  for (const External& e : delegate.outputs())
    outputs.push_back({std::string(delegate.name(e.value)), "output"});
  make_distinct(inputs);
  make_distinct(outputs);
  check_names(import, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t id = delegate.inputs()[i].value;
    const ValueInfo& v = delegate.info(id);
    auto d = descriptor_of(v);
    if (!d) raise_named(import.source, d.failure());
    if (v.type == xnn::DataType::qdint8 || v.type == xnn::DataType::qpint8 ||
        v.type == xnn::DataType::bf16 || v.type == xnn::DataType::qcint4 ||
        v.type == xnn::DataType::qbint4)
      unsupported(import.source, fail("{} is an input of type {}", v.text(), name_of_type(v.type)));
    const MLOperand x = ports.input(inputs[i].name, *d, {});
    delegate.set_input(id, x);
    model.inputs.push_back({inputs[i].name, x});
    model.input_quantization.push_back(quantization_of(v));
  }
  delegate.import_nodes();
  if (outputs.empty()) refuse(import.source, fail("the graph has no outputs"));
  std::vector<OutputPort> ends;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    ends.push_back({delegate.outputs()[i].value, outputs[i].name});
  const auto find = [&](const std::string& name) { return delegate.id_named(name); };
  for (const auto& [id, name] : chosen_outputs(import, std::move(ends), find)) {
    const MLOperand y = output_of(delegate, id);
    model.outputs.push_back({name, ports.result(y, name)});
    model.output_quantization.push_back(quantization_of(delegate.info(id)));
  }
  return model;
}

Model import_source(MLGraphBuilder& builder, const Source& source, const ImportOptions& options) {
  Savepoint savepoint(*detail::state_of(builder));
  Import import{builder, source, options, {options.max_bytes, source.bytes.size()}};
  try {
    if (!options.method.empty() && !is_program(source.bytes))
      wrong_option(source,
                   fail("there is no method {}: it is not a program", in_quotes(options.method)));
    Model model = is_program(source.bytes) ? import_program(import) : import_graph(import);
    savepoint.keep();
    return model;
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "executorch", source.label);
  }
}

}  // namespace

const MLOperand& Model::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "executorch");
}
const MLOperand& Model::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "executorch");
}

Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "executorch", path);
  return import_source(builder, {{std::move(file->owner), file->bytes}, path}, options);
}

Model import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                   std::span<const std::byte> bytes, const ImportOptions& options,
                   std::string_view label) {
  return import_source(builder, {{std::move(owner), bytes}, std::string(label)}, options);
}

Model import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                   const ImportOptions& options, std::string_view label) {
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(*copy);
  return import_source(builder, {{std::move(copy), view}, std::string(label)}, options);
}

}  // namespace webnn::inline v0_1::executorch
