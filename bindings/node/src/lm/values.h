// Handles and options of language models. lm.cjs has the classes that scripts see.
#pragma once

#include "bindings/node/src/convert.h"
#include "bindings/node/src/file_work.h"
#include "bindings/node/src/object.h"

#include "src/lm/interface/exclusive.h"
#include "src/lm/interface/options.h"

namespace webnn::inline v0_1::node {

using LmCache = lm::Exclusive<lm::Cache>;
using LmTokenStream = lm::Exclusive<lm::TokenStream>;
using LmSampler = lm::Exclusive<lm::Sampler>;
struct LmChat {
  lm::Exclusive<lm::Chat> chat;
  lm::Model model;
};
/// `stop` ends a run that is under way.
struct LmGeneration {
  lm::Exclusive<lm::Generation> generation;
  std::stop_source stop;
};

/// Any thread may use `open` to add and cancel. `stop` ends a step that is under way.
struct LmBatch {
  lm::Batch open;
  lm::Model model;
  lm::Exclusive<lm::Batch> batch;
  std::stop_source stop{};  // of the thread of scripts

  LmBatch(lm::Batch b, lm::Model m) : open(b), model(std::move(m)), batch(std::move(b)) {}
};

template <> struct Interface<lm::Model> : InterfaceOf<"LMModel", ClassId::lm_model> {};
template <> struct Interface<lm::Tokenizer> : InterfaceOf<"LMTokenizer", ClassId::lm_tokenizer> {};
template <>
struct Interface<lm::ChatTemplate> : InterfaceOf<"LMChatTemplate", ClassId::lm_chat_template> {};
// Work on other threads needs them, too.
template <>
struct Interface<std::shared_ptr<LmCache>> : InterfaceOf<"LMCache", ClassId::lm_cache> {};
template <>
struct Interface<std::shared_ptr<LmTokenStream>>
    : InterfaceOf<"LMTokenStream", ClassId::lm_token_stream> {};
template <>
struct Interface<std::shared_ptr<LmSampler>> : InterfaceOf<"LMSampler", ClassId::lm_sampler> {};
template <> struct Interface<std::shared_ptr<LmChat>> : InterfaceOf<"LMChat", ClassId::lm_chat> {};
template <>
struct Interface<std::shared_ptr<LmGeneration>>
    : InterfaceOf<"LMGeneration", ClassId::lm_generation> {};

template <>
struct Interface<std::shared_ptr<LmBatch>> : InterfaceOf<"LMBatch", ClassId::lm_batch> {};

std::string text_from(const Napi::Value& value, const Where& where);  ///< only a string
std::vector<lm::Message> messages_from(const Napi::Value& value, std::string_view call);
std::vector<lm::Token> tokens_from(const Napi::Value& value, const Where& where);
Napi::Value to_js(Napi::Env env, std::span<const lm::Token> tokens);
Napi::Value to_js(Napi::Env env, std::optional<lm::Token> token);  ///< or null
Napi::Value to_js(Napi::Env env, const std::string& text);
Napi::Value to_js(Napi::Env env, std::span<const float> numbers);  ///< a Float32Array

Napi::Object to_js(Napi::Env env, const lm::Sample& sample);
Napi::Value to_js(Napi::Env env, std::span<const lm::Sample> samples);
Napi::Value to_js(Napi::Env env, const lm::GenerationReport& report);

// convert_option(): a member of options, from what a script gives.

template <class T> void convert_option(const Napi::Value& value, T& out, const Where& where) {
  convert(value, out, where);
}
void convert_option(const Napi::Value& value, std::uint64_t& out, const Where& where);
void convert_option(const Napi::Value& value, std::string& out, const Where& where);
void convert_option(const Napi::Value& value, std::optional<std::int64_t>& out, const Where& where);
void convert_option(const Napi::Value& value, std::vector<std::pair<lm::Token, float>>& out,
                    const Where& where);

/// Throws TypeError for a name that is not among them.
void check_names(const Napi::Object& given, const std::vector<std::string_view>& known,
                 std::string_view call);
template <class Options> std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  lm::OptionsOf<Options>::each([&]<class Row>(const Row& row) {
    if constexpr (Row::form != lm::OptionForm::native) names.push_back(row.name);
  });
  return names;
}

/// The members of an object that are not undefined.
template <class Options> void set_options(Options& options, const Napi::Object& given) {
  using Rows = lm::OptionsOf<Options>;
  Rows::each([&]<class Row>(const Row& row) {
    if constexpr (Row::form != lm::OptionForm::native) {
      const Napi::Value value = given.Get(std::string(row.name));
      if (!value.IsUndefined()) convert_option(value, Row::get(options), {Rows::name, row.name});
    }
  });
}
template <class Options> Options options_from(const Napi::Value& given, Options options = {}) {
  const auto dictionary = to_dictionary(given, {lm::OptionsOf<Options>::name, "options"});
  if (!dictionary) return options;
  check_names(*dictionary, option_names<Options>(), lm::OptionsOf<Options>::name);
  set_options(options, *dictionary);
  return options;
}

// A copy of what other threads may change.

template <class T> std::vector<T> owned(std::span<const T> all) { return {all.begin(), all.end()}; }
inline std::string owned(const std::string& text) { return text; }
inline lm::GenerationReport owned(const lm::GenerationReport& report) { return report; }

void define_lm_text(Napi::Env env, Napi::Object lm);
void define_lm_model(Napi::Env env, Napi::Object lm);
void define_lm_generation(Napi::Env env);
void define_lm_batch(Napi::Env env, Napi::Object lm);

/// An object for a generation of a call.
Napi::Object make_generation(Napi::Env env, lm::Generation generation,
                             std::shared_ptr<std::mutex> mutex, std::stop_source stop);

/// The argument of a call that is such an object.
template <class T> T& native_argument(const Napi::Value& value, const Where& where) {
  auto* n = native<T>(value);
  if (!n) where.reject(std::string("is not an ") + Interface<T>::name);
  return n->value;
}

}  // namespace webnn::inline v0_1::node
