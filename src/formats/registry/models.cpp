// import_model() and export_model().
#include <set>

#include "src/formats/common/model_inputs.h"
#include "src/formats/registry/format.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1 {
namespace {

using registry::Format;
using registry::Source;

/// Throws TypeError for an option that files of the format do not have.
void check_options(const Format& format, const Source& source, const ImportOptions& o) {
  const auto refuse = [&](std::string_view option) {
    raise(fail("{} is not an option of the format {}", option, format.name), "import",
          source.label);
  };
  std::set<std::string_view> names;
  for (const std::string& name : o.outputs)
    if (!names.insert(name).second)
      raise(fail("output \"{}\" is chosen twice", escaped(name)), "import", source.label);
  const registry::Accepts& accepts = format.accepts;
  if (!o.dimensions.empty() && !accepts.dimensions) refuse("dimensions");
  if (!o.shapes.empty() && !accepts.shapes) refuse("shapes");
  if (!o.signature.empty() && !accepts.signature) refuse("signature");
  if (o.subgraph != 0 && !accepts.subgraph) refuse("subgraph");
  if (!o.weights.empty() && !accepts.weights) refuse("weights");
}

ImportedModel import_source(MLGraphBuilder& builder, const Source& source,
                            const ImportOptions& options) {
  const Format& format = registry::readable(source, options.format);
  if (!format.read)
    raise({"a compiled graph is loaded, not imported", ErrorName::NotSupportedError}, "import",
          source.label);
  check_options(format, source, options);
  ImportedModel model = format.read(builder, source, options);
  model.format = format.name;
  model.input_quantization.resize(model.inputs.size());
  model.output_quantization.resize(model.outputs.size());
  return model;
}

}  // namespace

const MLOperand& ImportedModel::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "import");
}
const MLOperand& ImportedModel::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "import");
}

std::vector<ModelFormat> model_formats() {
  std::vector<ModelFormat> all;
  for (const Format& f : registry::formats())
    if (f.converts())
      all.push_back({f.name, f.about, f.extensions, f.read != nullptr, f.write != nullptr});
  return all;
}

ImportedModel import_model(MLGraphBuilder& builder, const Path& path,
                           const ImportOptions& options) {
  if (path.empty()) raise(fail("the path is empty"), "import");
  return import_source(builder, {.path = path, .label = path}, options);
}

ImportedModel import_model(MLGraphBuilder& builder, std::shared_ptr<const void> owner,
                           std::span<const std::byte> bytes, const ImportOptions& options,
                           std::string_view label) {
  return import_source(
      builder, {.owner = std::move(owner), .bytes = bytes, .label = std::string(label)}, options);
}

ImportedModel import_model(MLGraphBuilder& builder, std::span<const std::byte> bytes,
                           const ImportOptions& options, std::string_view label) {
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(*copy);
  return import_model(builder, std::move(copy), view, options, label);
}

void export_model(const MLGraph& graph, const Path& path, const ExportOptions& options) {
  const std::vector<registry::OutputFile> files =
      registry::writable(path, options.format).write(graph, path);
  if (auto bad = registry::write(files))
    raise({std::move(bad->failure.message), ErrorName::OperationError}, "export",
          bad->path.string());
}

std::vector<std::byte> exported_bytes(const MLGraph& graph, std::string_view format) {
  std::vector<registry::OutputFile> files =
      registry::writable({}, std::string(format)).write(graph, "-");
  return std::move(files.front().bytes);
}

}  // namespace webnn::inline v0_1
