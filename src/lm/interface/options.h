// The options of language models as data: C, Python, Node and its types read these lists. Private.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "webnn/lm/model.h"
#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::lm {

enum class OptionForm : std::uint8_t {
  value,
  json,   ///< a text in C++ and C; where languages have objects, one of these, or a text
  native  ///< each language has its own form
};

/// A member of a structure of options. `about` begins with a capital letter and ends with a full
/// stop.
template <auto M, OptionForm Form = OptionForm::value> struct Option {
  static constexpr auto member = M;
  static constexpr OptionForm form = Form;
  using Type = typename ops::MemberPointer<decltype(M)>::Type;

  std::string_view name, about;

  template <class Options> static constexpr auto& get(Options& options) { return options.*M; }
};

/// Its name for messages, and `each(f)`, which calls f with the row of each member in order.
template <class Options> struct OptionsOf;

template <> struct OptionsOf<LoadOptions> {
  static constexpr std::string_view name = "load";
  template <class F> static constexpr void each(F f) {
    using O = LoadOptions;
    f(Option<&O::capacity>{
        "capacity",
        "The largest number of tokens in a cache; 0: the context of the model, but at most 4096."});
    f(Option<&O::cacheType>{
        "cacheType",
        "The type of keys and values in a cache: float16, bfloat16, float32, or "
        "int8 in blocks with scales."});
    f(Option<&O::batch>{"batch",
                        "The largest number of tokens of a prompt that are computed at once."});
    f(Option<&O::releaseRows>{"releaseRows",
                              "Whether layers with a window give back the memory of rows that no "
                              "token sees any more."});
  }
};

/// How a token is chosen: the members that the options of a sampler and those of a text have.
template <class O, class F> constexpr void each_way_to_choose(F& f) {
  f(Option<&O::temperature>{
      "temperature", "Logits are divided by this number; 0: the most probable token is chosen."});
  f(Option<&O::topK>{"topK", "Only this many of the most probable tokens are possible; 0: all."});
  f(Option<&O::topP>{"topP",
                     "Only the most probable tokens whose probabilities add up to this number are "
                     "possible; above 0, at most 1."});
  f(Option<&O::minP>{"minP",
                     "Only tokens that are at least this fraction as probable as the best one are "
                     "possible; 0 to 1."});
  f(Option<&O::repetitionPenalty>{"repetitionPenalty",
                                  "Positive logits of earlier tokens are divided by this number, "
                                  "and others are multiplied by it."});
  f(Option<&O::repetitionWindow>{"repetitionWindow",
                                 "The number of the latest tokens that are penalized; 0: all."});
}

template <> struct OptionsOf<GenerateOptions> {
  static constexpr std::string_view name = "generate";
  template <class F> static constexpr void each(F f) {
    using O = GenerateOptions;
    f(Option<&O::maxTokens>{"maxTokens",
                            "The largest number of tokens; 0: as many as the cache has room for."});
    each_way_to_choose<O>(f);
    f(Option<&O::seed>{"seed",
                       "The seed of the random numbers: the same one gives the same text."});
    f(Option<&O::stop>{"stop", "Texts that end the generated text; they are left out of it."});
    f(Option<&O::stopTokens>{"stopTokens",
                             "Tokens that end the text, besides those of the model."});
    f(Option<&O::ignoreEnd>{
        "ignoreEnd", "Whether the text continues after a token with which the model ends a text."});
    f(Option<&O::bias>{"bias", "Numbers that are added to the logits of tokens."});
    f(Option<&O::grammar>{"grammar",
                          "The grammar of the text, in the notation GBNF; empty: any text."});
    f(Option<&O::jsonSchema, OptionForm::json>{"jsonSchema", "The JSON schema of the text."});
    f(Option<&O::logProbabilities>{"logProbabilities",
                                   "How many of the most probable tokens are reported."});
    f(Option<&O::cancel, OptionForm::native>{"cancel", "Ends a run that is under way."});
  }
};

template <> struct OptionsOf<SamplingOptions> {
  static constexpr std::string_view name = "sampler";
  template <class F> static constexpr void each(F f) {
    using O = SamplingOptions;
    each_way_to_choose<O>(f);
    f(Option<&O::seed>{"seed", "The seed of the random numbers."});
    f(Option<&O::bias>{"bias", "Numbers that are added to the logits of tokens."});
    f(Option<&O::logProbability>{
        "logProbability",
        "Whether the logarithm of the token's probability is reported, which takes a while."});
    f(Option<&O::logProbabilities>{"logProbabilities",
                                   "How many of the most probable tokens are reported."});
  }
};

template <> struct OptionsOf<EncodeOptions> {
  static constexpr std::string_view name = "encode";
  template <class F> static constexpr void each(F f) {
    using O = EncodeOptions;
    f(Option<&O::addSpecial>{"addSpecial",
                             "Whether to add the tokens that the model expects around a text."});
    f(Option<&O::parseSpecial>{"parseSpecial",
                               "Whether special tokens that are written in the text are "
                               "recognized."});
  }
};

template <> struct OptionsOf<DecodeOptions> {
  static constexpr std::string_view name = "decode";
  template <class F> static constexpr void each(F f) {
    f(Option<&DecodeOptions::skipSpecial>{"skipSpecial", "Whether special tokens have no text."});
  }
};

template <> struct OptionsOf<ChatOptions> {
  static constexpr std::string_view name = "chat";
  template <class F> static constexpr void each(F f) {
    using O = ChatOptions;
    f(Option<&O::addGenerationPrompt>{"addGenerationPrompt",
                                      "Whether the text ends with the beginning of the "
                                      "assistant's answer."});
    f(Option<&O::tools, OptionForm::json>{"tools",
                                          "A list of the functions that the model may call."});
    f(Option<&O::variables, OptionForm::json>{"variables",
                                              "An object of further variables of the template."});
    f(Option<&O::bosToken>{"bosToken",
                           "The text of the token that begins a text; empty: the tokenizer's."});
    f(Option<&O::eosToken>{"eosToken",
                           "The text of the token that ends a text; empty: the tokenizer's."});
    f(Option<&O::time>{"time",
                       "The date that the template sees, in seconds since 1970; absent: now."});
    f(Option<&O::maxSteps>{"maxSteps", "The largest number of steps that the template may take."});
    f(Option<&O::maxBytes>{"maxBytes",
                           "The largest number of bytes of the text that the template makes."});
  }
};

namespace detail {
template <class Options> consteval std::size_t option_count() {
  std::size_t count = 0;
  OptionsOf<Options>::each([&](const auto&) { ++count; });
  return count;
}
template <class... Options>
inline constexpr bool all_have_rows =
    ((ops::has_members<Options, option_count<Options>()> &&
      !ops::has_members<Options, option_count<Options>() + 1>)&&...);
}  // namespace detail
static_assert(detail::all_have_rows<LoadOptions, GenerateOptions, SamplingOptions, EncodeOptions,
                                    DecodeOptions, ChatOptions>,
              "each member of the options has one row");

/// The name of a member where names have underscores: top_k for topK.
constexpr std::string snake_case(std::string_view name) {
  std::string s;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) s += '_';
    s += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return s;
}

}  // namespace webnn::inline v0_1::lm
