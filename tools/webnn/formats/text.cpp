// .webnn, which is text.
#include "webnn/text.h"
#include "tools/webnn/formats/format.h"
#include "tools/webnn/formats/with_weights.h"

namespace webnn::inline v0_1::tool {
namespace {

Imported read_webnn(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  text::ImportOptions options;
  options.shapes = o.shapes;
  options.dimensions = o.dimensions;
  text::Model m = text::import_model(b, path, options);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, std::move(m.name)};
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

}  // namespace

std::vector<Format> text_formats() {
  return {{"webnn",
           "text, with weights beside it",
           {"webnn"},
           &read_webnn,
           &write_webnn,
           nullptr,
           &formatted}};
}

}  // namespace webnn::inline v0_1::tool
