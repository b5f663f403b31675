// Compiled graphs.
#include "webnn/compiled.h"
#include "src/formats/registry/content.h"
#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::registry {
namespace {

using Quantization = ImportedModel::Quantization;
constexpr std::string_view input = "input ", output = "output ";

std::optional<Quantization> quantization_from(const compiled::Metadata& all,
                                              const std::string& key) {
  const auto found = all.find(key);
  Quantization q;
  if (found == all.end() ||
      std::sscanf(found->second.c_str(), "%a %d", &q.scale, &q.zero_point) != 2)
    return std::nullopt;
  return q;
}

Loaded load_compiled(const MLContext& context, const Source& source, bool all) {
  compiled::Metadata metadata;
  const compiled::LoadOptions options{
      .verify = all ? compiled::Verify::full : compiled::Verify::small, .metadata = &metadata};
  Loaded m{.graph = source.in_memory()
                        ? compiled::load(context, source.owner, source.bytes, options, source.label)
                        : compiled::load(context, source.path, options)};
  for (const auto& [name, d] : m.graph.inputs())
    m.input_quantization.push_back(quantization_from(metadata, std::string(input) + name));
  for (const auto& [name, d] : m.graph.outputs())
    m.output_quantization.push_back(quantization_from(metadata, std::string(output) + name));
  if (const auto found = metadata.find("description"); found != metadata.end())
    m.description = found->second;
  return m;
}

void add(compiled::Metadata& to, std::string_view kind, const NamedDescriptors& names,
         const Quantizations& all) {
  for (std::size_t i = 0; i < names.size() && i < all.size(); ++i)
    if (all[i]) {
      char text[64];
      std::snprintf(text, sizeof text, "%a %d", static_cast<double>(all[i]->scale),
                    all[i]->zero_point);
      to[std::string(kind) + names[i].name] = text;
    }
}

void save_compiled(const Loaded& m, const std::filesystem::path& path) {
  compiled::Metadata metadata;
  add(metadata, input, m.graph.inputs(), m.input_quantization);
  add(metadata, output, m.graph.outputs(), m.output_quantization);
  if (!m.description.empty()) metadata["description"] = m.description;
  compiled::save(m.graph, path, {.metadata = metadata});
}

Contents compiled_contents(const std::filesystem::path& path) {
  const compiled::Description d = compiled::describe(path);
  Contents parts;
  for (const auto& [name, value] : d.key) parts.push_back({name, value});
  const auto hash = [](std::uint64_t v) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
    return std::string(text);
  };
  parts.push_back({"hash of the graph", hash(d.graph_hash)});
  parts.push_back({"hash of the weights", hash(d.weights_hash)});
  return parts;
}

bool is_compiled_graph(std::span<const std::byte> file) { return has_text(file, 0, "webnnc\r\n"); }

}  // namespace

std::vector<Format> compiled_formats() {
  return {{.name = "compiled",
           .about = "compiled graph, for this machine",
           .extensions = {"webnnc"},
           .recognizes = &is_compiled_graph,
           .contents = &compiled_contents,
           .load = &load_compiled,
           .save = &save_compiled}};
}

}  // namespace webnn::inline v0_1::registry
