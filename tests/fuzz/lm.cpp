// libFuzzer: any bytes are a tokenizer, a template, a grammar, a JSON schema, a genai_config.json,
// a config.json, a model or refused, and what they hold can be used. The first byte says which.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "webnn/lm.h"
#include "webnn/webnn.h"

namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
  static const fs::path path =
      fs::temp_directory_path() / ("webnn_fuzz_lm_" + std::to_string(::getpid()));
  return path;
}
void write(const char* name, std::string_view text) {
  fs::create_directories(folder());
  std::ofstream(folder() / name, std::ios::binary) << text;
}
const webnn::MLContext& context() {
  static const webnn::MLContext one({.threads = 1, .backends = {"reference"}});
  return one;
}

/// A folder with that file alone: whatever it says, the model is missing.
void load_folder(const char* name, std::string_view config) {
  write(name, config);
  try {
    webnn::lm::load(context(), folder().string());
    std::abort();
  } catch (const webnn::Error&) { fs::remove_all(folder()); }
}

void load_file(std::string_view bytes) {
  write("model.gguf", bytes);
  try {
    const auto model = webnn::lm::load(context(), (folder() / "model.gguf").string(),
                                       {.capacity = 8, .cacheType = webnn::float32});
    fs::remove_all(folder());  // the file stays mapped
    webnn::lm::Cache cache = model.cache();
    model.evaluate(cache, std::vector<webnn::lm::Token>{1, 0, 1});
    model.evaluate(cache, std::vector<webnn::lm::Token>{1});
  } catch (const webnn::Error&) { fs::remove_all(folder()); }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace webnn;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] == 't') {
      const lm::ChatTemplate chat(text);
      chat.apply(
          {{"system", "s"}, {"user", "u\xff", R"({"a": [1, {"b": null}]})"}},
          {.tools = R"([{"name": "f"}])", .time = 0, .maxSteps = 100'000, .maxBytes = 100'000});
      return 0;
    }
    if (data[0] == 'c' || data[0] == 'h') {
      load_folder(data[0] == 'c' ? "genai_config.json" : "config.json", text);
      return 0;
    }
    if (data[0] == 'm') {
      load_file(text);
      return 0;
    }
    if (data[0] == 'b' || data[0] == 's') {
      const lm::Grammar grammar =
          data[0] == 'b' ? lm::Grammar::from_gbnf(text) : lm::Grammar::from_json_schema(text);
      for (const std::string_view input :
           {std::string_view(R"({"a": [1, "b"], "c": null})"), std::string_view("aab c\n12"), text})
        if (grammar.accepts(input) && !grammar.accepts_beginning(input)) std::abort();
      return 0;
    }
    const lm::Tokenizer tokenizer =
        data[0] == 'g' ? lm::Tokenizer::from_gguf(gguf::File::from_bytes(std::vector(
                             reinterpret_cast<const std::byte*>(text.data()),
                             reinterpret_cast<const std::byte*>(text.data()) + text.size())))
                       : lm::Tokenizer::from_json(text);
    for (const std::string_view input : {std::string_view("a b <s> \xc3\xa9\xff  12's"), text})
      tokenizer.decode(tokenizer.encode(input));
  } catch (const Error&) {}
  return 0;
}
