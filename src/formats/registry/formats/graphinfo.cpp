// Chromium's GraphInfo.
#include "webnn/graphinfo.h"
#include "src/formats/registry/content.h"
#include "src/formats/registry/quantization.h"
#include "src/formats/registry/with_weights.h"

namespace webnn::inline v0_1::registry {
namespace {

ImportedModel read_graphinfo(MLGraphBuilder& b, const Source& source, const ImportOptions& o) {
  graphinfo::ImportOptions options;
  options.outputs = o.outputs;
  options.weights_path = o.weights;
  if (o.max_bytes) options.max_bytes = *o.max_bytes;
  return plain(source.in_memory() ? graphinfo::import_model(b, source.text(), options, source.label)
                                  : graphinfo::import_model(b, source.path, options),
               {});
}
template <graphinfo::Schema Schema>
std::vector<OutputFile> write_graphinfo(const MLGraph& g, const std::filesystem::path& path) {
  const graphinfo::ExportOptions options{.schema = Schema};
  if (path == "-") return {{path, bytes_of(graphinfo::export_model(g, options))}};
  graphinfo::Files files = graphinfo::export_files(g, options);
  return with_weights(path, files.json, std::move(files.weights));
}

/// An object with a key that no other JSON format has.
bool is_graphinfo(std::span<const std::byte> file) {
  return first_word(file).starts_with('{') && head_of(file).find("\"schema\"") != std::string::npos;
}

}  // namespace

std::vector<Format> graphinfo_formats() {
  return {{.name = "graphinfo",
           .about = "Chromium's GraphInfo, with weights beside it",
           .extensions = {"json"},
           .accepts = {.weights = true},
           .recognizes = &is_graphinfo,
           .read = &read_graphinfo,
           .write = &write_graphinfo<graphinfo::Schema::v2026>},
          {.name = "graphinfo2023",
           .about = "Chromium's GraphInfo of 2023, with weights beside it",
           .extensions = {},
           .write = &write_graphinfo<graphinfo::Schema::v2023>}};
}

}  // namespace webnn::inline v0_1::registry
