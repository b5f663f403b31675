// Tokenizers, templates of conversations, the choice of the next token.
#include "bindings/c/src/lm/values.h"

using namespace webnn::c;
using webnn::lm::Token;

namespace {

webnn_lm_token or_none(std::optional<Token> token) { return token.value_or(-1); }
bool has(const webnn_lm_tokenizer* t, webnn_lm_token token) {
  return t && token >= 0 && static_cast<std::size_t>(token) < t->value.size();
}

}  // namespace

webnn_status webnn_lm_tokenizer_open(webnn_string path, webnn_lm_tokenizer** tokenizer,
                                     webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "tokenizer";
    need(tokenizer, {name, "tokenizer"});
    *tokenizer = new webnn_lm_tokenizer(webnn::lm::Tokenizer::open(text(path, {name, "path"})));
  });
}
webnn_status webnn_lm_tokenizer_from_json(webnn_string json, webnn_string config,
                                          webnn_lm_tokenizer** tokenizer, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "tokenizer";
    need(tokenizer, {name, "tokenizer"});
    *tokenizer = new webnn_lm_tokenizer(webnn::lm::Tokenizer::from_json(
        text(json, {name, "json"}), text(config, {name, "config"})));
  });
}
webnn_lm_tokenizer* webnn_lm_tokenizer_retain(webnn_lm_tokenizer* t) { return retain(t); }
void webnn_lm_tokenizer_release(webnn_lm_tokenizer* t) { release(t); }
webnn_status webnn_lm_tokenizer_encode(const webnn_lm_tokenizer* t, webnn_string given,
                                       const webnn_lm_encode_options* options,
                                       webnn_lm_token* tokens, size_t capacity, size_t* count,
                                       webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "encode";
    const auto all = need(t, {name, "tokenizer"})
                         .value.encode(text(given, {name, "text"}), options_from(options));
    store_tokens(all, tokens, capacity, count, name);
  });
}
webnn_status webnn_lm_tokenizer_decode(const webnn_lm_tokenizer* t, const webnn_lm_token* tokens,
                                       size_t length, const webnn_lm_decode_options* options,
                                       webnn_text** out, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "decode";
    need(out, {name, "text"});
    *out =
        new_text(need(t, {name, "tokenizer"})
                     .value.decode(list(tokens, length, {name, "tokens"}), options_from(options)));
  });
}
size_t webnn_lm_tokenizer_size(const webnn_lm_tokenizer* t) { return t ? t->value.size() : 0; }
webnn_string webnn_lm_tokenizer_text_of(const webnn_lm_tokenizer* t, webnn_lm_token token) {
  return has(t, token) ? to_c(t->value.text_of(token)) : webnn_string{};
}
webnn_lm_token webnn_lm_tokenizer_find(const webnn_lm_tokenizer* t, webnn_string text) {
  return t ? or_none(t->value.find(view(text))) : -1;
}
int32_t webnn_lm_tokenizer_is_special(const webnn_lm_tokenizer* t, webnn_lm_token token) {
  return has(t, token) && t->value.is_special(token);
}
webnn_lm_token webnn_lm_tokenizer_bos(const webnn_lm_tokenizer* t) {
  return t ? or_none(t->value.bos()) : -1;
}
webnn_lm_token webnn_lm_tokenizer_eos(const webnn_lm_tokenizer* t) {
  return t ? or_none(t->value.eos()) : -1;
}
webnn_lm_token webnn_lm_tokenizer_unk(const webnn_lm_tokenizer* t) {
  return t ? or_none(t->value.unk()) : -1;
}
webnn_lm_token webnn_lm_tokenizer_pad(const webnn_lm_tokenizer* t) {
  return t ? or_none(t->value.pad()) : -1;
}
webnn_string webnn_lm_tokenizer_chat_template(const webnn_lm_tokenizer* t) {
  return t ? to_c(t->value.chat_template()) : webnn_string{};
}

webnn_status webnn_lm_token_stream_create(const webnn_lm_tokenizer* t,
                                          const webnn_lm_decode_options* options,
                                          webnn_lm_token_stream** stream, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "tokenStream";
    need(stream, {name, "stream"});
    *stream = new webnn_lm_token_stream(webnn::lm::Exclusive(
        webnn::lm::TokenStream(need(t, {name, "tokenizer"}).value, options_from(options))));
  });
}
webnn_lm_token_stream* webnn_lm_token_stream_retain(webnn_lm_token_stream* s) { return retain(s); }
void webnn_lm_token_stream_release(webnn_lm_token_stream* s) { release(s); }
webnn_status webnn_lm_token_stream_put(webnn_lm_token_stream* stream, webnn_lm_token token,
                                       webnn_text** out, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "put";
    need(out, {name, "text"});
    *out =
        new_text(need(stream, {name, "stream"}).value.use([&](auto& s) { return s.put(token); }));
  });
}
webnn_status webnn_lm_token_stream_finish(webnn_lm_token_stream* stream, webnn_text** out,
                                          webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "finish";
    need(out, {name, "text"});
    *out = new_text(need(stream, {name, "stream"}).value.use([](auto& s) { return s.finish(); }));
  });
}

webnn_status webnn_lm_chat_template_create(webnn_string given,
                                           webnn_lm_chat_template** chat_template,
                                           webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "chatTemplate";
    need(chat_template, {name, "chat_template"});
    *chat_template =
        new webnn_lm_chat_template(webnn::lm::ChatTemplate(text(given, {name, "text"})));
  });
}
webnn_lm_chat_template* webnn_lm_chat_template_retain(webnn_lm_chat_template* t) {
  return retain(t);
}
void webnn_lm_chat_template_release(webnn_lm_chat_template* t) { release(t); }
webnn_status webnn_lm_chat_template_apply(const webnn_lm_chat_template* t,
                                          const webnn_lm_message* given, size_t length,
                                          const webnn_lm_chat_options* options, webnn_text** out,
                                          webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "apply";
    need(out, {name, "text"});
    *out = new_text(
        need(t, {name, "chat_template"})
            .value.apply(messages(given, length, {name, "messages"}), options_from(options)));
  });
}
webnn_status webnn_lm_apply_chat_template(const webnn_lm_tokenizer* t,
                                          const webnn_lm_message* given, size_t length,
                                          const webnn_lm_chat_options* options, webnn_text** out,
                                          webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "applyChatTemplate";
    need(out, {name, "text"});
    *out = new_text(webnn::lm::apply_chat_template(need(t, {name, "tokenizer"}).value,
                                                   messages(given, length, {name, "messages"}),
                                                   options_from(options)));
  });
}

webnn_status webnn_lm_sampler_create(const webnn_lm_sampling_options* options,
                                     webnn_lm_sampler** sampler, webnn_error** error) {
  return guarded(error, [&] {
    need(sampler, {"sampler", "sampler"});
    *sampler =
        new webnn_lm_sampler(webnn::lm::Exclusive(webnn::lm::Sampler(options_from(options))));
  });
}
webnn_lm_sampler* webnn_lm_sampler_retain(webnn_lm_sampler* s) { return retain(s); }
void webnn_lm_sampler_release(webnn_lm_sampler* s) { release(s); }
webnn_status webnn_lm_sampler_sample(webnn_lm_sampler* sampler, const float* logits,
                                     size_t logits_length, const webnn_lm_token* before,
                                     size_t before_length, const uint8_t* allowed,
                                     webnn_lm_token_probability* chosen,
                                     webnn_lm_token_probability* best, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "sample";
    need(chosen, {name, "chosen"});
    const auto values = list(logits, logits_length, {name, "logits"});
    const auto tokens = list(before, before_length, {name, "before"});
    const webnn::lm::Sample s = need(sampler, {name, "sampler"}).value.use([&](auto& x) {
      if (!allowed) return x.sample(values, tokens);
      const std::span flags(allowed, values.size());
      return x.sample(values, tokens, std::vector<bool>(flags.begin(), flags.end()));
    });
    *chosen = {s.token, s.logProbability};
    if (!best) return;
    for (const webnn::lm::TokenProbability& p : s.best) *best++ = {p.token, p.logProbability};
  });
}
