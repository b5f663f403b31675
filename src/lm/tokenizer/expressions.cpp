// The expressions that split texts into words before byte-level BPE.
#include <algorithm>

#include "src/lm/tokenizer/contents.h"

namespace webnn::inline v0_1::lm {

const std::string_view gpt2_expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

constexpr std::string_view llama3_expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4o_expression =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view deepseek_v3_expression =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct Row {
  std::vector<std::string_view> names;
  NamedPreTokenizer value;
};
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {{"llama-bpe", "llama3", "llama-v3"}, {{llama3_expression}, true}},
      {{"dbrx", "smaug-bpe"}, {{llama3_expression}}},
      {{"qwen2", "deepseek-r1-qwen"}, {{qwen2_expression}, false, true}},
      {{"stablelm2", "megrez"}, {{qwen2_expression}}},
      {{"gpt-2", "phi-2", "mpt", "olmo", "jina-v2-en"}, {{gpt2_expression}}},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"},
       {{R"(\p{N})", gpt2_expression}}},
      {{"gpt-4o", "llama4"}, {{gpt4o_expression}}},
      {{"deepseek-v3"},
       {{R"(\p{N}{1,3})", R"([\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)",
         deepseek_v3_expression}}},
  };
  return all;
}

}  // namespace

std::optional<NamedPreTokenizer> pre_tokenizer_named(std::string_view name) {
  for (const Row& row : rows())
    if (std::ranges::find(row.names, name) != row.names.end()) return row.value;
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::lm
