// Models of OpenHarmony's NNRt.
#include "webnn/nnrt.h"
#include "src/formats/registry/content.h"
#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::registry {
namespace {

Quantizations quantizations(const std::vector<std::optional<nnrt::QuantParam>>& from) {
  Quantizations all;
  for (const auto& q : from)
    all.push_back(
        q ? std::optional(ImportedModel::Quantization{static_cast<float>(q->scale), q->zeroPoint})
          : std::nullopt);
  return all;
}

ImportedModel read_nnrt(MLGraphBuilder& b, const Source& source, const ImportOptions& o) {
  nnrt::Imported m = read_with<nnrt::Imported, nnrt::ImportOptions>(
      &nnrt::import_model, &nnrt::import_model, b, source,
      {.shapes = o.shapes, .outputs = o.outputs}, o.max_bytes);
  return {.inputs = std::move(m.inputs),
          .outputs = std::move(m.outputs),
          .input_quantization = quantizations(m.input_quantization),
          .output_quantization = quantizations(m.output_quantization),
          .description = std::move(m.name)};
}
std::vector<std::byte> write_nnrt(const MLGraph& g) { return nnrt::export_model(g); }

bool is_nnrt(std::span<const std::byte> file) { return has_text(file, 0, "NNRTMDL1"); }

Contents nnrt_contents(const std::filesystem::path& path) {
  std::map<std::string, std::size_t> count;
  for (const nnrt::Node& n : nnrt::read_model(path).nodes)
    ++count[nnrt::name_of(nnrt::node_type(n.attributes))];
  Contents parts;
  for (const auto& [name, times] : count)
    parts.push_back({name, std::to_string(times) + (times == 1 ? " node" : " nodes")});
  return parts;
}

}  // namespace

std::vector<Format> nnrt_formats() {
  return {{.name = "nnrt",
           .about = "model of OpenHarmony's NNRt",
           .extensions = {"nnrt"},
           .accepts = {.shapes = true},
           .recognizes = &is_nnrt,
           .read = &read_nnrt,
           .write = &one_file<&write_nnrt>,
           .contents = &nnrt_contents}};
}

}  // namespace webnn::inline v0_1::registry
