#include "tools/webnn/language/options.h"

namespace webnn::inline v0_1::tool {

void add_language_options(CLI::App& app, LanguageOptions& o) {
  app.add_option("MODEL", o.model,
                 "A .gguf file, or a folder of Hugging Face or of ONNX Runtime GenAI")
      ->type_name("FILE")
      ->required();
  app.add_option("--max-tokens", o.max_tokens,
                 "The largest number of tokens; 0: until the cache is full")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--temperature", o.temperature,
                 "Logits are divided by this number; 0: the most probable token is taken")
      ->type_name("T");
  app.add_option("--top-k", o.top_k, "Only the K most probable tokens are possible; 0: all")
      ->type_name("K");
  app.add_option(
         "--top-p", o.top_p,
         "Only the most probable tokens whose probabilities add up to this number are possible")
      ->type_name("P");
  app.add_option(
         "--min-p", o.min_p,
         "Only tokens that are at least this fraction as probable as the best one are possible")
      ->type_name("P");
  app.add_option("--repetition-penalty", o.repetition_penalty,
                 "The logits of the last tokens are divided by this number")
      ->type_name("X");
  app.add_option("--seed", o.seed, "The seed of the random numbers")
      ->type_name("N")
      ->capture_default_str();
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
  app.add_flag("--ignore-end", o.ignore_end, "Continue after a token that ends a text");
  app.add_option("--capacity", o.capacity,
                 "The largest number of tokens in the prompt and the text; 0: the context of the "
                 "model, but at most 4096")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--cache", o.cache_type, "The data type of keys and values")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float16", "bfloat16", "float32", "int8"}))
      ->capture_default_str();
  app.add_flag("--quiet", o.quiet, "Do not print a line about the time");
}

}  // namespace webnn::inline v0_1::tool
