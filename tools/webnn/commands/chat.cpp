// webnn chat: a conversation with a language model.
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/language/options.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  LanguageOptions language;
  ContextOptions context;
  std::string system;
};

}  // namespace

Action add_chat(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  add_language_options(app, o->language);
  app.add_option("--system", o->system, "The message of the system, which comes before all others")
      ->type_name("TEXT");
  o->context.add_without_tuning_to(app);
  app.footer(
      "Each line of the standard input is a message; the answers are printed as they come. Ctrl-C "
      "ends an answer, or, before one, the conversation.\n\n"
      "Examples:\n  webnn chat model.gguf\n  webnn chat model.gguf --system \"Answer in one "
      "word.\" --temperature 0.7\n  echo \"Why is the sky blue?\" | webnn chat model.gguf --quiet");
  return [o]() -> int { return converse(o->language, o->system, o->context.context()); };
}

}  // namespace webnn::inline v0_1::tool
