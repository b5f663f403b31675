#include <filesystem>

#include "src/formats/common/json.h"
#include "src/formats/common/mapped_file.h"
#include "src/graph/failure.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {
namespace {

/// tokenizer_config.json with a template that has a file of its own, unless it has one itself.
std::string with_template(std::string_view config, std::string_view text,
                          const std::string& label) {
  const auto checked = [&](auto result) {
    if (!result) raise(result.failure(), "tokenizer", label);
    return std::move(*result);
  };
  formats::Value value = checked(formats::read_json(config.empty() ? "{}" : config));
  if (value.kind != formats::Value::Kind::object)
    raise({"tokenizer_config.json is not an object", ErrorName::DataError}, "tokenizer", label);
  if (!value.find("chat_template"))
    value.set("chat_template", formats::Value::string(std::string(text)));
  return checked(formats::write_json(value));
}

}  // namespace

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
  const fs::path separate = file.parent_path() / "chat_template.jinja";
  formats::MappedFile config_file, template_file;
  if (fs::exists(config, error)) config_file = mapped(config);
  if (!fs::exists(separate, error))
    return from_json(text_of(tokenizer), text_of(config_file), file.string());
  template_file = mapped(separate);
  return from_json(text_of(tokenizer),
                   with_template(text_of(config_file), text_of(template_file), file.string()),
                   file.string());
}

}  // namespace webnn::inline v0_1::lm
