// Grammars that constrain the text of a language model.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "webnn/number.h"

namespace webnn::inline v0_1::lm {

struct GrammarContents;

/// The texts that a model may generate, for GenerateOptions::grammar and jsonSchema. A handle;
/// immutable, so it may be used by several threads at once.
class Grammar {
 public:
  /// A grammar in the notation GBNF of llama.cpp, as in `root ::= "yes" | "no"`. It may have texts,
  /// classes of characters, `.`, parentheses, `|`, `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, names of
  /// rules, and comments behind `#`.
  /// https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md Throws TypeError,
  /// with the line, for other texts; for a rule that begins with itself; for a grammar that accepts
  /// no text; and for one that is too large with its repetitions.
  static Grammar from_gbnf(std::string_view text);
  /// JSON texts that a schema accepts: type, enum, const, properties, required,
  /// additionalProperties, items, prefixItems, minItems, maxItems, minLength, maxLength, pattern,
  /// the formats date, time, date-time and uuid, minimum, maximum and their exclusive forms of
  /// integers, anyOf, oneOf (as anyOf), allOf, $ref to places in the schema, $defs. An object with
  /// properties has no others unless additionalProperties says so, and has them in the order of the
  /// schema. Numbers have at most 15 digits. https://json-schema.org/draft/2020-12 Throws TypeError
  /// for a text that is not a schema, and NotSupportedError, which names the keyword, for other
  /// keywords that constrain.
  static Grammar from_json_schema(std::string_view schema);

  bool accepts(std::string_view text) const;
  /// Whether the text is the beginning of one that is accepted.
  bool accepts_beginning(std::string_view text) const;

 private:
  friend class TokenGrammar;
  explicit Grammar(std::shared_ptr<const GrammarContents> contents)
      : contents_(std::move(contents)) {}
  std::shared_ptr<const GrammarContents> contents_;
};

}  // namespace webnn::inline v0_1::lm
