#include "tools/webnn/common/exit.h"
#include "tools/webnn/language/language.h"

namespace webnn::inline v0_1::tool {
namespace {

[[noreturn]] int refuse() {
  throw CommandError("this webnn was built without the component lm, for language models");
}

}  // namespace

bool is_language_model(const std::string&) { return false; }
int describe_language(const std::string&, bool, const MLContext&) { refuse(); }
int generate_text(const LanguageOptions&, const std::string&, const MLContext&) { refuse(); }
int generate_texts(const LanguageOptions&, const std::string&, std::uint32_t, const MLContext&) {
  refuse();
}
int converse(const LanguageOptions&, const std::string&, const MLContext&) { refuse(); }
int bench_language(const LanguageBench&, const MLContext&) { refuse(); }

}  // namespace webnn::inline v0_1::tool
