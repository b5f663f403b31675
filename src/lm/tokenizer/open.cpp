#include <filesystem>

#include "src/formats/common/mapped_file.h"
#include "src/graph/failure.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

Tokenizer Tokenizer::open(const Path& path) {
  namespace fs = std::filesystem;
  const auto mapped = [](const fs::path& file) {
    auto result = formats::map_file(file);
    if (!result) raise(result.failure(), "tokenizer", file.string());
    return std::move(*result);
  };
  const auto text_of = [](const formats::MappedFile& file) {
    return std::string_view(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  };
  std::error_code error;
  const fs::path file =
      fs::is_directory(path, error) ? fs::path(path) / "tokenizer.json" : fs::path(path);
  const formats::MappedFile tokenizer = mapped(file);
  if (text_of(tokenizer).starts_with("GGUF")) return from_gguf(gguf::File::open(path), path);
  const fs::path config = file.parent_path() / "tokenizer_config.json";
  if (!fs::exists(config, error)) return from_json(text_of(tokenizer), {}, file.string());
  return from_json(text_of(tokenizer), text_of(mapped(config)), file.string());
}

}  // namespace webnn::inline v0_1::lm
