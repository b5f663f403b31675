#include "src/lm/tokenizer/json_parts.h"

#include "src/formats/common/base64.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

/// A pattern is {"String": text} or {"Regex": expression}: `use` is called with one of them.
template <class Use> auto with_pattern(const Fields& part, Use use) {
  const Fields pattern = part.at("pattern");
  if (pattern.find("String")) return use(pattern.text("String"));
  return use(value_or_refuse(Regex::compile(pattern.get<std::string>("Regex")), pattern));
}

Behavior read_behavior(const Fields& part, std::string otherwise) {
  const std::string name = part.text("behavior", std::move(otherwise));
  if (name == "Removed") return Behavior::removed;
  if (name == "Isolated") return Behavior::isolated;
  if (name == "MergedWithPrevious") return Behavior::merged_with_previous;
  if (name == "MergedWithNext") return Behavior::merged_with_next;
  if (name == "Contiguous") return Behavior::contiguous;
  part.refuse("the behavior " + in_quotes(name) + " is not defined by the format");
}

Normalizer read_bert(const Fields& part) {
  const bool lowercase = part.get("lowercase", true);
  return normalizers::bert({.clean_text = part.get("clean_text", true),
                            .spaces_around_ideographs = part.get("handle_chinese_chars", true),
                            .lowercase = lowercase,
                            .strip_accents = part.get("strip_accents", lowercase)});
}

Normalizer read_precompiled(const Fields& part) {
  const std::string text = part.text("precompiled_charsmap");
  if (text.empty()) return normalizers::sequence({});
  const auto bytes = formats::from_base64(text);
  if (!bytes) part.refuse("precompiled_charsmap is not base64");
  std::string table(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return value_or_refuse(normalizers::precompiled(std::move(table)), part);
}

pre_tokenizers::Prepend read_prepend(const Fields& part) {
  const bool adds = part.get("add_prefix_space", true);
  const std::string scheme = part.text("prepend_scheme", adds ? "always" : "never");
  if (scheme == "always") return pre_tokenizers::Prepend::always;
  if (scheme == "first") return pre_tokenizers::Prepend::first;
  if (scheme == "never") return pre_tokenizers::Prepend::never;
  part.refuse("the prepend_scheme " + in_quotes(scheme) + " is not defined by the format");
}

constexpr const char* default_space = "\xe2\x96\x81";  // U+2581

PreTokenizer read_byte_level(const Fields& part) {
  const bool prefix = part.get("add_prefix_space", true);
  if (!part.get("use_regex", true)) return pre_tokenizers::byte_level(prefix, nullptr);
  const Regex regex = value_or_refuse(Regex::compile(std::string(gpt2_expression)), part);
  return pre_tokenizers::byte_level(prefix, &regex);
}

}  // namespace

Normalizer read_normalizer(const Fields& part) {
  const auto type = part.get<std::string>("type");
  if (type == "Sequence") {
    std::vector<Normalizer> all;
    const Fields list = part.at("normalizers");
    for (std::size_t i = 0; i < list.count(); ++i) all.push_back(read_normalizer(list.item(i)));
    return normalizers::sequence(std::move(all));
  }
  if (type == "NFC") return normalizers::nfc();
  if (type == "NFD") return normalizers::nfd();
  if (type == "NFKC") return normalizers::nfkc();
  if (type == "NFKD") return normalizers::nfkd();
  if (type == "Lowercase") return normalizers::lowercase();
  if (type == "StripAccents") return normalizers::strip_accents();
  if (type == "Strip")
    return normalizers::strip(part.get("strip_left", true), part.get("strip_right", true));
  if (type == "Prepend") return normalizers::prepend(valid_utf8(part.text("prepend")));
  if (type == "BertNormalizer") return read_bert(part);
  if (type == "Precompiled") return read_precompiled(part);
  if (type == "Replace") {
    const std::string content = part.text("content");
    return with_pattern(
        part, [&](auto pattern) { return normalizers::replace(std::move(pattern), content); });
  }
  refuse_type(part);
}

PreTokenizer read_pre_tokenizer(const Fields& part) {
  const auto type = part.get<std::string>("type");
  if (type == "Sequence") {
    std::vector<PreTokenizer> all;
    const Fields list = part.at("pretokenizers");
    for (std::size_t i = 0; i < list.count(); ++i) all.push_back(read_pre_tokenizer(list.item(i)));
    return pre_tokenizers::sequence(std::move(all));
  }
  if (type == "ByteLevel") return read_byte_level(part);
  if (type == "Split") {
    const Behavior behavior = read_behavior(part, "Isolated");
    const bool invert = part.get("invert", false);
    return with_pattern(part, [&](auto pattern) {
      return pre_tokenizers::split(std::move(pattern), behavior, invert);
    });
  }
  if (type == "Metaspace")
    return pre_tokenizers::metaspace(part.text("replacement", default_space), read_prepend(part),
                                     part.get("split", true));
  if (type == "Whitespace")
    return pre_tokenizers::split(value_or_refuse(Regex::compile(R"(\w+|[^\w\s]+)"), part),
                                 Behavior::removed, true);
  if (type == "WhitespaceSplit") return pre_tokenizers::split(&is_white_space, Behavior::removed);
  if (type == "Punctuation") return pre_tokenizers::punctuation(read_behavior(part, "Isolated"));
  if (type == "Digits") return pre_tokenizers::digits(part.get("individual_digits", false));
  if (type == "CharDelimiterSplit")
    return pre_tokenizers::split(part.get<std::string>("delimiter"), Behavior::removed, false);
  if (type == "BertPreTokenizer") return pre_tokenizers::bert();
  refuse_type(part);
}

std::vector<DecodeStep> read_decoder(const Fields& part) {
  using Kind = DecodeStep::Kind;
  const auto type = part.get<std::string>("type");
  if (type == "Sequence") {
    std::vector<DecodeStep> all;
    bool fused = false;
    const Fields list = part.at("decoders");
    for (std::size_t i = 0; i < list.count(); ++i) {
      fused = fused || list.item(i).get<std::string>("type") == "Fuse";
      for (DecodeStep& step : read_decoder(list.item(i))) {
        step.flag = step.flag || (fused && step.kind == Kind::strip);
        if (step.flag && step.kind == Kind::strip && step.count_at_end > 0)
          list.item(i).refuse("a Strip after Fuse that strips the end is not supported",
                              ErrorName::NotSupportedError);
        all.push_back(std::move(step));
      }
    }
    return all;
  }
  if (type == "Fuse") return {};
  if (type == "ByteLevel") return {{Kind::byte_level}};
  if (type == "ByteFallback") return {{Kind::byte_fallback}};
  if (type == "Metaspace")
    return {{.kind = Kind::metaspace,
             .text = part.text("replacement", default_space),
             .flag = read_prepend(part) != pre_tokenizers::Prepend::never}};
  if (type == "WordPiece")
    return {{.kind = Kind::word_piece,
             .text = part.text("prefix", "##"),
             .flag = part.get("cleanup", true)}};
  if (type == "BPEDecoder")
    return {{.kind = Kind::end_suffix, .text = part.text("suffix", "</w>")}};
  if (type == "Strip")
    return {{.kind = Kind::strip,
             .text = part.text("content", " "),
             .count = part.get<std::uint32_t>("start", 0),
             .count_at_end = part.get<std::uint32_t>("stop", 0)}};
  if (type == "Replace") {
    const Fields pattern = part.at("pattern");
    if (!pattern.find("String"))
      pattern.refuse("a Replace with an expression is not supported in a decoder",
                     ErrorName::NotSupportedError);
    return {
        {.kind = Kind::replace, .text = pattern.text("String"), .content = part.text("content")}};
  }
  refuse_type(part);
}

}  // namespace webnn::inline v0_1::lm
