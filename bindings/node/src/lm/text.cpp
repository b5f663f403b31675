// Tokenizers, templates of conversations, the choice of the next token.
#include "values.h"

namespace webnn::inline v0_1::node {
namespace {

using lm::Token;
using lm::Tokenizer;
using Stream = std::shared_ptr<LmTokenStream>;
using Sampler = std::shared_ptr<LmSampler>;

// openTokenizer(path), which returns a promise, and tokenizerFromJson(tokenizer, config)

Napi::Value open_tokenizer(const Napi::CallbackInfo& info) {
  const std::string path = to_path(info[0], {"openTokenizer", "path"});
  return FileWork::start(info.Env(), [path](Pending& pending) {
    pending.result = [made = Tokenizer::open(path)](Napi::Env env) -> Napi::Value {
      return make(env, made);
    };
  });
}
Napi::Value from_json(const Napi::CallbackInfo& info) {
  return make(info.Env(),
              Tokenizer::from_json(text_from(info[0], {"tokenizerFromJson", "tokenizer"}),
                                   text_from(info[1], {"tokenizerFromJson", "config"})));
}

Napi::Value encode(const Napi::CallbackInfo& info) {
  const std::string text = text_from(info[0], {"encode", "text"});
  return to_js(info.Env(),
               self<Tokenizer>(info).value.encode(text, options_from<lm::EncodeOptions>(info[1])));
}
Napi::Value decode(const Napi::CallbackInfo& info) {
  const auto tokens = tokens_from(info[0], {"decode", "tokens"});
  return to_js(info.Env(), self<Tokenizer>(info).value.decode(
                               tokens, options_from<lm::DecodeOptions>(info[1])));
}
Token token_from(const Napi::CallbackInfo& info, std::string_view call) {
  Token token = 0;
  convert(info[0], token, {call, "token"});
  return token;
}
Napi::Value text_of(const Napi::CallbackInfo& info) {
  const Tokenizer& t = self<Tokenizer>(info).value;
  return to_js(info.Env(), std::string(t.text_of(token_from(info, "textOf"))));
}
Napi::Value find(const Napi::CallbackInfo& info) {
  const Tokenizer& t = self<Tokenizer>(info).value;
  return to_js(info.Env(), t.find(text_from(info[0], {"find", "text"})));
}
Napi::Value is_special(const Napi::CallbackInfo& info) {
  const Tokenizer& t = self<Tokenizer>(info).value;
  return Napi::Boolean::New(info.Env(), t.is_special(token_from(info, "isSpecial")));
}
Napi::Value size(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(self<Tokenizer>(info).value.size()));
}
template <std::optional<Token> (Tokenizer::*Role)() const>
Napi::Value role(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), (self<Tokenizer>(info).value.*Role)());
}
Napi::Value chat_template(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), self<Tokenizer>(info).value.chat_template());
}
Napi::Value apply_own(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), lm::apply_chat_template(self<Tokenizer>(info).value,
                                                   messages_from(info[0], "applyChatTemplate"),
                                                   options_from<lm::ChatOptions>(info[1])));
}

Napi::Value new_stream(const Napi::CallbackInfo& info) {
  const auto& t = native_argument<Tokenizer>(info[0], {"TokenStream", "tokenizer"});
  return make(info.Env(), std::make_shared<LmTokenStream>(
                              lm::TokenStream(t, options_from<lm::DecodeOptions>(info[1]))));
}
Napi::Value put(const Napi::CallbackInfo& info) {
  const Token token = token_from(info, "put");
  return to_js(info.Env(), self<Stream>(info).value->use([&](auto& s) { return s.put(token); }));
}
Napi::Value finish(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), self<Stream>(info).value->use([](auto& s) { return s.finish(); }));
}

Napi::Value new_template(const Napi::CallbackInfo& info) {
  return make(info.Env(), lm::ChatTemplate(text_from(info[0], {"ChatTemplate", "text"})));
}
Napi::Value apply(const Napi::CallbackInfo& info) {
  return to_js(info.Env(),
               self<lm::ChatTemplate>(info).value.apply(messages_from(info[0], "apply"),
                                                        options_from<lm::ChatOptions>(info[1])));
}

Napi::Value new_sampler(const Napi::CallbackInfo& info) {
  return make(info.Env(),
              std::make_shared<LmSampler>(lm::Sampler(options_from<lm::SamplingOptions>(info[0]))));
}
Napi::Value sample(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Sampler sampler = self<Sampler>(info).value;
  const auto before = tokens_from(info[1], {"sample", "before"});
  std::optional<std::vector<bool>> allowed;
  if (!info[2].IsUndefined()) {
    allowed.emplace();
    for_each_item(info[2], {"sample", "allowed"},
                  [&](Napi::Value item, std::int64_t) { allowed->push_back(item.ToBoolean()); });
  }
  const Where where{"sample", "logits"};
  if (!info[0].IsTypedArray() ||
      info[0].As<Napi::TypedArray>().TypedArrayType() != napi_float32_array)
    where.reject("is not a Float32Array");
  const auto bytes = to_input(info[0], where).bytes();  // runs no JavaScript after this
  const std::span logits(reinterpret_cast<const float*>(bytes.data()),
                         bytes.size() / sizeof(float));
  const lm::Sample s = sampler->use([&](lm::Sampler& x) {
    return allowed ? x.sample(logits, before, *allowed) : x.sample(logits, before);
  });
  return to_js(env, s);
}

}  // namespace

void define_lm_text(Napi::Env env, Napi::Object lm) {
  InterfaceMaker t(env, "LMTokenizer", ClassId::lm_tokenizer, &illegal_constructor<Tokenizer>, 0);
  t.method<&encode>("encode", 1);
  t.method<&decode>("decode", 1);
  t.method<&text_of>("textOf", 1);
  t.method<&find>("find", 1);
  t.method<&is_special>("isSpecial", 1);
  t.method<&apply_own>("applyChatTemplate", 1);
  t.attribute<&size>("size");
  t.attribute<&role<&Tokenizer::bos>>("bos");
  t.attribute<&role<&Tokenizer::eos>>("eos");
  t.attribute<&role<&Tokenizer::unk>>("unk");
  t.attribute<&role<&Tokenizer::pad>>("pad");
  t.attribute<&chat_template>("chatTemplate");
  InterfaceMaker stream(env, "LMTokenStream", ClassId::lm_token_stream,
                        &illegal_constructor<Stream>, 0);
  stream.method<&put>("put", 1);
  stream.method<&finish>("finish", 0);
  InterfaceMaker text(env, "LMChatTemplate", ClassId::lm_chat_template,
                      &illegal_constructor<lm::ChatTemplate>, 0);
  text.method<&apply>("apply", 1);
  InterfaceMaker sampler(env, "LMSampler", ClassId::lm_sampler, &illegal_constructor<Sampler>, 0);
  sampler.method<&sample>("sample", 1);
  lm.Set("openTokenizer", Napi::Function::New<&promised<&open_tokenizer>>(env, "openTokenizer"));
  lm.Set("tokenizerFromJson", Napi::Function::New<&throwing<&from_json>>(env, "tokenizerFromJson"));
  lm.Set("newTokenStream", Napi::Function::New<&throwing<&new_stream>>(env, "newTokenStream"));
  lm.Set("newChatTemplate", Napi::Function::New<&throwing<&new_template>>(env, "newChatTemplate"));
  lm.Set("newSampler", Napi::Function::New<&throwing<&new_sampler>>(env, "newSampler"));
}

}  // namespace webnn::inline v0_1::node
