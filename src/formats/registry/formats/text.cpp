// .webnn, which is text.
#include "webnn/text.h"
#include "src/formats/registry/content.h"
#include "src/formats/registry/quantization.h"
#include "src/formats/registry/with_weights.h"

namespace webnn::inline v0_1::registry {
namespace {

ImportedModel read_webnn(MLGraphBuilder& b, const Source& source, const ImportOptions& o) {
  text::ImportOptions options;
  options.shapes = o.shapes;
  options.dimensions = o.dimensions;
  options.outputs = o.outputs;
  options.weights_path = o.weights;
  if (o.max_bytes) options.max_bytes = *o.max_bytes;
  text::Model m = source.in_memory() ? text::import_model(b, source.text(), options, source.label)
                                     : text::import_model(b, source.path, options);
  std::string description = std::move(m.name);
  return plain(std::move(m), std::move(description));
}
std::vector<OutputFile> write_webnn(const MLGraph& g, const std::filesystem::path& path) {
  text::ExportOptions options;
  if (path.has_stem() && path != "-") options.name = path.stem().string();
  if (path == "-") return {{path, bytes_of(text::export_model(g, options))}};
  text::Files files = text::export_files(g, options);
  return with_weights(path, files.text, std::move(files.weights));
}
std::string formatted(std::string_view text, std::string_view label) {
  return text::format(text, label);
}

bool is_webnn(std::span<const std::byte> file) { return first_word(file) == "webnn_graph"; }

}  // namespace

std::vector<Format> text_formats() {
  return {{.name = "webnn",
           .about = "text, with weights beside it",
           .extensions = {"webnn"},
           .accepts = {.dimensions = true, .shapes = true, .weights = true},
           .recognizes = &is_webnn,
           .read = &read_webnn,
           .write = &write_webnn,
           .formatted = &formatted}};
}

}  // namespace webnn::inline v0_1::registry
