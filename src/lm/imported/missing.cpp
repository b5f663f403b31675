// In builds without the format onnx.
#include "src/graph/failure.h"
#include "src/lm/imported/decoder.h"

namespace webnn::inline v0_1::lm {

bool has_imported(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / "genai_config.json", error);
}
ImportedConfig imported_config(const std::filesystem::path& folder) {
  raise({"this build cannot read .onnx files", ErrorName::NotSupportedError}, "lm",
        folder.string());
}
void build_imported(ModelContents&, const ImportedConfig&) {}

}  // namespace webnn::inline v0_1::lm
