// webnn generate: text from a language model.
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/language/options.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  LanguageOptions language;
  ContextOptions context;
  std::string prompt;
};

}  // namespace

Action add_generate(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  add_language_options(app, o->language);
  app.add_option("PROMPT", o->prompt, "The text that is continued")->type_name("TEXT")->required();
  o->context.add_without_tuning_to(app);
  add_json(app, o->language.json);
  app.footer(
      "Examples:\n  webnn generate model.gguf \"Once upon a time\"\n  webnn generate model.gguf "
      "\"Once upon a time\" --max-tokens 64 --temperature 0.7 --top-p 0.9 --seed 1\n  webnn "
      "generate Qwen3-0.6B/ \"The sky is\" --json");
  return [o]() -> int { return generate_text(o->language, o->prompt, o->context.context()); };
}

}  // namespace webnn::inline v0_1::tool
