// The weights of a .webnn text: in a .safetensors file, or in a .weights file with a manifest.
// Private.
#pragma once

#include <memory>

#include "src/formats/common/budget.h"
#include "src/formats/common/model_file.h"
#include "webnn/text.h"

namespace webnn::inline v0_1::text {

/// Elements of int4 and uint4 are in bytes, as this key of the metadata says; the first of two is
/// in the lower half.
inline constexpr std::string_view packed4_key = "rustnn.webnn.packed4";
inline constexpr std::string_view packed4_version = "1";

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  /// A constant of that type and shape; the failure names the file.
  virtual Result<Constant> constant(const std::string& key, const MLOperandDescriptor& descriptor,
                                    formats::Budget& budget) const = 0;
};

/// The file of a text. The path is empty, and there is no folder, for a text that is not a file.
struct TextFile {
  Path path{};
  std::shared_ptr<const formats::ModelFolder> folder{};
};
/// The weights of the options, or else those beside the text. Their bytes raise the limit.
Result<std::unique_ptr<WeightSource>> open_weights(const ImportOptions& options,
                                                   const TextFile& text, formats::Budget& budget);

/// A file that is open, and its path for messages.
struct OpenFile {
  formats::MappedFile contents{};
  std::string label{};
};
std::unique_ptr<WeightSource> from_safetensors(safetensors::File file, std::string label,
                                               formats::Budget& budget);
Result<std::unique_ptr<WeightSource>> from_manifest(OpenFile weights, const OpenFile& manifest,
                                                    formats::Budget& budget);

/// A name as it is compared where there is no exact match: `::` is `__`, `.` is `_`.
std::string normalized(std::string_view name);

}  // namespace webnn::inline v0_1::text
