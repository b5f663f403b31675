#include "tools/webnn/language/options.h"

namespace webnn::inline v0_1::tool {

void add_language_options(CLI::App& app, LanguageOptions& o) {
  app.add_option("MODEL", o.model,
                 "A .gguf file, or a folder of Hugging Face or of ONNX Runtime GenAI")
      ->type_name("FILE")
      ->required();
  app.add_option("--max-tokens", o.max_tokens, "Tokens at most; 0: until the cache is full")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--temperature", o.temperature,
                 "Logits are divided by it; 0: the most probable token is taken")
      ->type_name("T");
  app.add_option("--top-k", o.top_k, "Only the K most probable tokens are possible; 0: all")
      ->type_name("K");
  app.add_option("--top-p", o.top_p,
                 "Only the most probable tokens are possible whose probabilities have this sum")
      ->type_name("P");
  app.add_option("--min-p", o.min_p,
                 "Only tokens are possible that are at least this part as probable as the best")
      ->type_name("P");
  app.add_option("--repetition-penalty", o.repetition_penalty,
                 "The logits of the last tokens are divided by it")
      ->type_name("X");
  app.add_option("--seed", o.seed, "Of the random numbers")->type_name("N")->capture_default_str();
  app.add_option("--stop", o.stop, "A text that ends the generated text")
      ->type_name("TEXT")
      ->take_all();
  auto* grammar =
      app.add_option("--grammar", o.grammar,
                     "A file with the grammar of the text, in the notation GBNF of llama.cpp")
          ->type_name("FILE");
  app.add_option("--json-schema", o.json_schema, "A file with the JSON schema of the text")
      ->type_name("FILE")
      ->excludes(grammar);
  app.add_flag("--ignore-end", o.ignore_end, "Go on after a token that ends a text");
  app.add_option("--capacity", o.capacity,
                 "Tokens of the prompt and the text at most; 0: the context of the model, at most "
                 "4096")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--cache", o.cache_type, "The data type of keys and values")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float16", "float32", "int8"}))
      ->capture_default_str();
  app.add_flag("--quiet", o.quiet, "No line about the time");
}

}  // namespace webnn::inline v0_1::tool
