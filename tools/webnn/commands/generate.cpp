// webnn generate: text from a language model.
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/language/options.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  LanguageOptions language;
  ContextOptions context;
  std::optional<std::string> prompt, prompts;
  std::uint32_t sequences = 8;
};

}  // namespace

Action add_generate(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  add_language_options(app, o->language);
  app.add_option("PROMPT", o->prompt, "The text that is continued")->type_name("TEXT");
  app.add_option("--prompts", o->prompts,
                 "A file with a prompt in each line; their texts are generated together")
      ->type_name("FILE");
  app.add_option("--sequences", o->sequences, "How many of the prompts are computed at once")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  o->context.add_without_tuning_to(app);
  add_json(app, o->language.json);
  app.footer(
      "Examples:\n  webnn generate model.gguf \"Once upon a time\"\n  webnn generate model.gguf "
      "\"Once upon a time\" --max-tokens 64 --temperature 0.7 --top-p 0.9 --seed 1\n  webnn "
      "generate Qwen3-0.6B/ \"The sky is\" --json\n  webnn generate model.gguf --prompts "
      "prompts.txt --max-tokens 32\n  webnn generate model.gguf \"A person as JSON: \" "
      "--json-schema person.json");
  return [o]() -> int {
    if (o->prompt.has_value() == o->prompts.has_value())
      throw Usage("a PROMPT or --prompts is needed, and not both");
    if (o->prompts)
      return generate_texts(o->language, *o->prompts, o->sequences, o->context.context());
    return generate_text(o->language, *o->prompt, o->context.context());
  };
}

}  // namespace webnn::inline v0_1::tool
