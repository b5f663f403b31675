// Handles and options of language models.
#pragma once

#include <algorithm>
#include <cstring>

#include "bindings/c/src/values.h"
#include "src/lm/interface/exclusive.h"
#include "src/lm/interface/options.h"
#include "webnn/c/lm.h"

struct webnn_lm_model : webnn::c::Handle<const webnn::lm::Model> {
  using Handle::Handle;
};
struct webnn_lm_tokenizer : webnn::c::Handle<const webnn::lm::Tokenizer> {
  using Handle::Handle;
};
struct webnn_lm_chat_template : webnn::c::Handle<const webnn::lm::ChatTemplate> {
  using Handle::Handle;
};
struct webnn_lm_token_stream : webnn::c::Handle<webnn::lm::Exclusive<webnn::lm::TokenStream>> {
  using Handle::Handle;
};
struct webnn_lm_sampler : webnn::c::Handle<webnn::lm::Exclusive<webnn::lm::Sampler>> {
  using Handle::Handle;
};
struct webnn_lm_cache : webnn::c::Handle<webnn::lm::Exclusive<webnn::lm::Cache>> {
  using Handle::Handle;
};
struct webnn_lm_generation : webnn::c::Handle<webnn::lm::Exclusive<webnn::lm::Generation>> {
  using Handle::Handle;
};
struct webnn_lm_chat : webnn::c::Handle<webnn::lm::Exclusive<webnn::lm::Chat>> {
  webnn_lm_chat(webnn::lm::Exclusive<webnn::lm::Chat> chat, webnn::lm::Model m)
      : Handle(std::move(chat)), model(std::move(m)) {}
  const webnn::lm::Model model;
};

/// Any thread may use `open` to add and cancel.
struct webnn_lm_batch : webnn::c::Handle<webnn::lm::Exclusive<webnn::lm::Batch>> {
  webnn_lm_batch(webnn::lm::Batch batch, webnn::lm::Model m)
      : Handle(webnn::lm::Exclusive(batch)), open(std::move(batch)), model(std::move(m)) {}
  webnn::lm::Batch open;
  const webnn::lm::Model model;
};

namespace webnn::inline v0_1::c {

static_assert(std::same_as<lm::Token, webnn_lm_token>);

// How a structure of C gives the options of C++.

template <class Options> struct COptions;
template <> struct COptions<lm::LoadOptions> {
  using Type = webnn_lm_load_options;
  static constexpr Type defaults = WEBNN_LM_LOAD_OPTIONS_INIT;
};
template <> struct COptions<lm::GenerateOptions> {
  using Type = webnn_lm_generate_options;
  static constexpr Type defaults = WEBNN_LM_GENERATE_OPTIONS_INIT;
};
template <> struct COptions<lm::SamplingOptions> {
  using Type = webnn_lm_sampling_options;
  static constexpr Type defaults = WEBNN_LM_SAMPLING_OPTIONS_INIT;
};
template <> struct COptions<lm::EncodeOptions> {
  using Type = webnn_lm_encode_options;
  static constexpr Type defaults = WEBNN_LM_ENCODE_OPTIONS_INIT;
};
template <> struct COptions<lm::DecodeOptions> {
  using Type = webnn_lm_decode_options;
  static constexpr Type defaults = WEBNN_LM_DECODE_OPTIONS_INIT;
};
template <> struct COptions<lm::ChatOptions> {
  using Type = webnn_lm_chat_options;
  static constexpr Type defaults = WEBNN_LM_CHAT_OPTIONS_INIT;
};

/// The options of a caller; null is an absent structure, which has the defaults. Throws TypeError
/// for a pointer that is null and has a length.
lm::LoadOptions options_from(const webnn_lm_load_options* given);
lm::SamplingOptions options_from(const webnn_lm_sampling_options* given);
lm::EncodeOptions options_from(const webnn_lm_encode_options* given);
lm::DecodeOptions options_from(const webnn_lm_decode_options* given);
lm::ChatOptions options_from(const webnn_lm_chat_options* given);
/// Those of the model, if `given` is null.
lm::GenerateOptions options_from(const webnn_lm_generate_options* given, const lm::Model& model);

std::vector<lm::Message> messages(const webnn_lm_message* given, std::size_t length, Where where);
void store_tokens(std::span<const lm::Token> from, webnn_lm_token* tokens, std::size_t capacity,
                  std::size_t* count, std::string_view function);
/// One of the samples of a text.
void store_sample(std::span<const lm::Sample> samples, std::size_t index,
                  webnn_lm_token_probability* chosen, webnn_lm_token_probability* best,
                  std::size_t capacity, std::size_t* count);
void store(webnn_lm_report* report, const lm::GenerationReport& from, std::string_view function);

}  // namespace webnn::inline v0_1::c
