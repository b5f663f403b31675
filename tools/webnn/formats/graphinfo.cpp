// Chromium's GraphInfo.
#include "webnn/graphinfo.h"
#include "tools/webnn/formats/format.h"
#include "tools/webnn/formats/with_weights.h"

namespace webnn::inline v0_1::tool {
namespace {

Imported read_graphinfo(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions&) {
  graphinfo::Model m = graphinfo::import_model(b, path);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, {}};
}
template <graphinfo::Schema Schema>
std::vector<OutputFile> write_graphinfo(const MLGraph& g, const std::filesystem::path& path) {
  const graphinfo::ExportOptions options{.schema = Schema};
  if (path == "-") return {{path, bytes_of(graphinfo::export_model(g, options))}};
  graphinfo::Files files = graphinfo::export_files(g, options);
  return with_weights(path, files.json, std::move(files.weights));
}

}  // namespace

std::vector<Format> graphinfo_formats() {
  return {{"graphinfo",
           "Chromium's GraphInfo, with weights beside it",
           {"json"},
           &read_graphinfo,
           &write_graphinfo<graphinfo::Schema::v2026>},
          {"graphinfo2023",
           "the same, of 2023",
           {},
           nullptr,
           &write_graphinfo<graphinfo::Schema::v2023>}};
}

}  // namespace webnn::inline v0_1::tool
