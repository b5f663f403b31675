// What the library does, for the scripts beside it. Texts have 32-bit lengths before them.
//   lm_oracle tokenizer FILE <texts >results   a result: count, tokens, the decoded text
//   lm_oracle template <requests >results      a request: template, messages, tools, variables;
//                                              a result: "+" and the text, or "-" and the error
#include <cstdio>
#include <cstring>
#include <optional>

#include "webnn/error.h"
#include "webnn/lm.h"

using namespace webnn;

namespace {

std::optional<std::string> get() {
  std::uint32_t size = 0;
  if (std::fread(&size, 4, 1, stdin) != 1) return std::nullopt;
  std::string text(size, '\0');
  if (std::fread(text.data(), 1, size, stdin) != size) return std::nullopt;
  return text;
}
void put(const void* data, std::size_t count, std::size_t width) {
  const auto size = static_cast<std::uint32_t>(count);
  std::fwrite(&size, 4, 1, stdout);
  std::fwrite(data, width, count, stdout);
}

void tokenize(const char* file) {
  const lm::Tokenizer tokenizer = lm::Tokenizer::open(file);
  while (const auto text = get()) {
    const auto tokens = tokenizer.encode(*text, {.addSpecial = false});
    put(tokens.data(), tokens.size(), sizeof(lm::Token));
    const std::string decoded = tokenizer.decode(tokens, {.skipSpecial = false});
    put(decoded.data(), decoded.size(), 1);
  }
}

/// Each message is a JSON object in a list of texts that ends with an empty one.
std::string rendered(const std::string& text) {
  std::vector<lm::Message> messages;
  for (auto m = get(); m && !m->empty(); m = get()) messages.push_back({.more = *m});
  lm::ChatOptions options{.bosToken = "<s>", .eosToken = "</s>"};
  options.tools = get().value_or("");
  options.variables = get().value_or("");
  try {
    return '+' + lm::ChatTemplate(text).apply(messages, options);
  } catch (const Error& e) { return std::string("-") + e.what(); }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::strcmp(argv[1], "tokenizer") == 0) {
    tokenize(argv[2]);
  } else {
    while (const auto text = get()) {
      const std::string result = rendered(*text);
      put(result.data(), result.size(), 1);
    }
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
