#include "tools/webnn/model/outputs.h"

#include <fmt/format.h>

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/model/formats.h"

namespace webnn::inline v0_1::tool {
namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

/// Where a reader of that format looks for weights, or writers of it put them.
std::vector<fs::path> weights_of(const fs::path& model, std::string_view format) {
  std::vector<fs::path> all;
  if (format.starts_with("onnx"))
    for (const char* ending : {".data", "_data"}) all.emplace_back(model.string() + ending);
  if (format.starts_with("webnn") || format.starts_with("graphinfo"))
    for (const char* ending : {".safetensors", ".weights", ".manifest.json"})
      for (fs::path path : {model, model.parent_path() / "model"})
        all.push_back(path.replace_extension(ending));
  return all;
}

}  // namespace

void keep_model(const ModelOptions& m, const fs::path& output, std::string_view hint) {
  if (same_file(m.path, output))
    throw Usage(fmt::format("{}: this is the model itself, which would be replaced; {}",
                            shown(output), hint));
  for (const fs::path& weights : weights_of(m.path, readable(m.path, m.from).name))
    if (same_file(weights, output))
      throw Usage(
          fmt::format("{}: this file may have the weights of {}, which would be replaced; {}",
                      shown(output), shown(m.path), hint));
}

}  // namespace webnn::inline v0_1::tool
