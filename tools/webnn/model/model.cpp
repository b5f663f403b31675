#include "tools/webnn/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "src/builder/builder_state.h"
#include "src/formats/common/open_size.h"
#include "src/formats/common/unknown_values.h"
#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/known_values.h"
#include "tools/webnn/model/sizes.h"

namespace webnn::inline v0_1::tool {
namespace {

std::optional<Quantization> find(const NamedOperands& operands,
                                 const std::vector<std::optional<Quantization>>& quantizations,
                                 const std::string& name) {
  for (std::size_t i = 0; i < operands.size() && i < quantizations.size(); ++i)
    if (operands[i].name == name) return quantizations[i];
  return std::nullopt;
}

/// Where the reader says what is wrong, it is 0.
std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw CommandError(shown(path) + ": there is no such file");
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

/// A message with the flag that it asks for.
std::string with_flag(const formats::OpenSize& e) {
  std::string text = e.what();
  if (text.ends_with('.')) text.pop_back();
  return text + (e.dimension.empty() ? " (--shape " + escaped(e.input) + "=...)."
                                     : " (--dim " + escaped(e.dimension) + "=N).");
}

ImportedModel imported(MLGraphBuilder& builder, const std::string& path,
                       const ImportOptions& options) {
  try {
    return import_model(builder, Path(path), options);
  } catch (const formats::OpenSize& e) {
    throw CommandError(with_flag(e));
  } catch (const formats::UnknownValues& e) {
    std::string text = e.what(), flags;
    if (text.ends_with('.')) text.pop_back();
    for (const std::string& name : e.inputs)
      flags += (flags.empty() ? "--value " : " --value ") + escaped(name) + "=...";
    throw CommandError(text + " (" + flags + ").");
  } catch (const NotSupportedError& e) {  // a loop that is unrolled, and the like
    const std::string text = e.what();
    if (text.find("give a size in the option dimensions") == std::string::npos) throw;
    throw CommandError(text + " The flags are --dim NAME=N and --shape INPUT=...");
  }
}

/// A model whose dimensions stay open where the format can have them open: sizes are for its graph.
/// Sizes that the format needs, or that say what else the file leaves open, are for the import.
ImportedModel imported_open(std::unique_ptr<MLGraphBuilder>& builder, const MLContext& context,
                            const std::string& path, const ImportOptions& options) {
  builder = std::make_unique<MLGraphBuilder>(context);
  if (options.dimensions.empty() && options.shapes.empty())
    return imported(*builder, path, options);
  ImportOptions open = options;
  open.dimensions.clear();
  open.shapes.clear();
  try {
    ImportedModel m = import_model(*builder, Path(path), open);
    if (std::ranges::any_of(m.inputs, [](const NamedOperand& x) { return x.operand.is_open(); }))
      return m;
  } catch (const Error&) {  // sizes are missing, or the next import says what is wrong
  }
  builder = std::make_unique<MLGraphBuilder>(context);
  return imported(*builder, path, options);
}

/// Gives open dimensions their sizes.
void close(Model& m, const ModelOptions& o, const ShapesByName& files) {
  if (!m.compiled.is_open()) return;
  const ChosenSizes chosen =
      choose_sizes(m.graph(), o.dimensions_by_name(), o.shapes_by_name(), files);
  m.guessed = chosen.guessed;
  m.compiled = sized(m.compiled, chosen.sizes);
  say_guesses(chosen);
}

/// What was compiled before has its shapes, except those that are open.
void load_compiled(Model& m, const Format& format, const ModelOptions& o) {
  if (!o.signature.empty() || o.subgraph != 0 || !o.values.empty() || !o.outputs.empty())
    throw Usage(shown(o.path) +
                ": --value, --outputs, --signature and --subgraph are options of webnn compile, "
                "not of a compiled graph");
  m.is_compiled = true;
  const auto start = std::chrono::steady_clock::now();
  Loaded loaded = format.load(m.context, source_of(o.path), false);
  m.compiled = std::move(loaded.graph);
  if (!m.compiled.is_open() && (!o.shapes.empty() || !o.dimensions.empty()))
    throw Usage(shown(o.path) +
                ": this compiled graph has no open dimensions: --shape and --dim "
                "are options of webnn compile");
  m.read_ms = ms_since(start) - m.compiled.report().build_ms;
  m.description = std::move(loaded.description);
  m.input_quantization = std::move(loaded.input_quantization);
  m.output_quantization = std::move(loaded.output_quantization);
}

}  // namespace

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

SourceModel read_source(const ModelOptions& o, const MLContext& context) {
  const Format& format = readable(o.path, o.from);
  if (!format.read) throw Usage(shown(o.path) + ": it is a compiled graph, not a model");
  const std::uint64_t bytes = size_of(o.path);
  ImportOptions options = import_options(o, format);
  options.values = known_values(o);
  MLGraphBuilder builder(context);
  ImportedModel m = imported(builder, o.path, options);
  NamedOperands inputs = std::move(m.inputs);
  return {.path = o.path,
          .format = std::string(format.name),
          .description = std::move(m.description),
          .file_bytes = bytes,
          .inputs = std::move(inputs),
          .outputs = m.outputs,
          .input_quantization = std::move(m.input_quantization),
          .output_quantization = std::move(m.output_quantization),
          .graph = graph_of(copy(detail::state_of(builder)->data, m.outputs))};
}

SourceModel source_of(const Model& m) {
  return {.path = m.path,
          .format = m.format,
          .description = m.description,
          .file_bytes = m.file_bytes,
          .inputs = m.graph().inputs(),
          .outputs = m.graph().outputs(),
          .input_quantization = m.input_quantization,
          .output_quantization = m.output_quantization,
          .graph = m.graph()};
}

namespace {

Model load(const ModelOptions& o, const MLContext& context, const GivenInputs& given,
           bool stays_open) {
  const std::filesystem::path path = o.path;
  const Format& format = readable(path, o.from);
  ImportOptions options = import_options(o, format);
  Model m{.path = o.path, .format = std::string(format.name), .context = context};
  m.file_bytes = size_of(o.path);
  if (format.load) {
    load_compiled(m, format, o);
    if (!stays_open) close(m, o, given.shapes);
    return m;
  }
  const KnownValues always = known_values(o);
  options.values = given.values;
  for (const auto& [name, value] : always) options.values.insert_or_assign(name, value);
  auto builder = std::make_unique<MLGraphBuilder>(context);
  const auto start = std::chrono::steady_clock::now();
  ImportedModel model = stays_open ? imported(*builder, o.path, options)
                                   : imported_open(builder, context, o.path, options);
  m.read_ms = ms_since(start);
  m.compiled = builder->build(model.outputs, {.inputs = model.inputs});
  if (!stays_open) close(m, o, given.shapes);
  m.description = std::move(model.description);
  for (const auto& [name, value] : options.values)
    if (std::ranges::find(model.inputs, name, &NamedOperand::name) == model.inputs.end())
      m.constants.push_back(name);
    else if (always.count(name)) m.values.emplace(name, value);
  for (const auto& [name, d] : m.compiled.inputs())
    m.input_quantization.push_back(find(model.inputs, model.input_quantization, name));
  for (const auto& [name, d] : m.compiled.outputs())
    m.output_quantization.push_back(find(model.outputs, model.output_quantization, name));
  return m;
}

}  // namespace

Model load(const ModelOptions& o, const MLContext& context, const GivenInputs& given) {
  return load(o, context, given, false);
}
Model load_open(const ModelOptions& o, const MLContext& context) {
  return load(o, context, {}, true);
}

std::string quantization_text(const std::optional<Quantization>& q) {
  return q ? fmt::format("scale {:.6g} zero point {}", q->scale, q->zero_point) : "";
}
void add_quantization(Json& json, const std::optional<Quantization>& q) {
  if (q) json["quantization"] = {{"scale", q->scale}, {"zero_point", q->zero_point}};
}

}  // namespace webnn::inline v0_1::tool
