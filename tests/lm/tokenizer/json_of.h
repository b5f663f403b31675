// Small tokenizer.json files.
#pragma once

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

using Tokens = std::vector<Token>;

inline std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}
/// {"a": 0, "b": 1}
inline std::string vocabulary_of(const std::vector<std::string>& texts) {
  std::string out = "{";
  for (std::size_t i = 0; i < texts.size(); ++i)
    out += (i > 0 ? ", " : "") + json_string(texts[i]) + ": " + std::to_string(i);
  return out + '}';
}
/// A BPE model; `rest`: more members of the file, with a comma before them.
inline std::string bpe_json(const std::vector<std::string>& texts,
                            const std::vector<std::string>& merges, const std::string& rest = {},
                            const std::string& model = {}) {
  std::string list;
  for (const std::string& m : merges) list += (list.empty() ? "" : ", ") + json_string(m);
  return R"({"model": {"type": "BPE", "vocab": )" + vocabulary_of(texts) + R"(, "merges": [)" +
         list + "]" + model + "}" + rest + "}";
}
inline Tokens encoded(const std::string& json, std::string_view text,
                      const EncodeOptions& options = {}) {
  return Tokenizer::from_json(json).encode(text, options);
}
inline std::string refusal(const std::string& json) {
  return test::thrown([&] { Tokenizer::from_json(json, {}, "t.json"); });
}

}  // namespace webnn::inline v0_1::lm
