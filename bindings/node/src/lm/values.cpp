#include "values.h"

#include <algorithm>

namespace webnn::inline v0_1::node {

std::string text_from(const Napi::Value& value, const Where& where) {
  if (!value.IsString()) where.reject("is not a string");
  return to_string(value);
}
std::vector<lm::Token> tokens_from(const Napi::Value& value, const Where& where) {
  std::vector<lm::Token> tokens;
  convert(value, tokens, where);
  return tokens;
}
std::vector<lm::Message> messages_from(const Napi::Value& value, std::string_view call) {
  std::vector<lm::Message> all;
  const Where where{call, "messages"};
  for_each_item(value, where, [&](Napi::Value item, std::int64_t i) {
    const auto message = to_dictionary(item, where.at(i));
    if (!message) where.at(i).reject("is not an object");
    lm::Message& m = all.emplace_back();
    m.role = text_from(message->Get("role"), {call, "role"});
    m.content = text_from(message->Get("content"), {call, "content"});
    m.more = text_from(message->Get("more"), {call, "more"});
  });
  return all;
}

Napi::Value to_js(Napi::Env env, std::span<const lm::Token> tokens) {
  Napi::Array all = Napi::Array::New(env, tokens.size());
  for (std::uint32_t i = 0; i < tokens.size(); ++i) all.Set(i, Napi::Number::New(env, tokens[i]));
  return all;
}
Napi::Value to_js(Napi::Env env, std::optional<lm::Token> token) {
  return token ? Napi::Number::New(env, *token) : env.Null();
}
Napi::Value to_js(Napi::Env env, const std::string& text) { return Napi::String::New(env, text); }
Napi::Value to_js(Napi::Env env, std::span<const float> numbers) {
  Napi::Float32Array array = Napi::Float32Array::New(env, numbers.size());
  std::ranges::copy(numbers, array.Data());
  return array;
}

Napi::Object to_js(Napi::Env env, const lm::Sample& sample) {
  const auto object = [&](lm::Token token, float probability) {
    Napi::Object o = Napi::Object::New(env);
    o.Set("token", Napi::Number::New(env, token));
    o.Set("logProbability", Napi::Number::New(env, static_cast<double>(probability)));
    return o;
  };
  Napi::Object result = object(sample.token, sample.logProbability);
  Napi::Array best = Napi::Array::New(env, sample.best.size());
  for (std::uint32_t i = 0; i < sample.best.size(); ++i)
    best.Set(i, object(sample.best[i].token, sample.best[i].logProbability));
  result.Set("best", best);
  return result;
}
Napi::Value to_js(Napi::Env env, std::span<const lm::Sample> samples) {
  Napi::Array all = Napi::Array::New(env, samples.size());
  for (std::uint32_t i = 0; i < samples.size(); ++i) all.Set(i, to_js(env, samples[i]));
  return all;
}
Napi::Value to_js(Napi::Env env, const lm::GenerationReport& r) {
  Napi::Object all = Napi::Object::New(env);
  const auto set = [&](const char* name, double v) { all.Set(name, Napi::Number::New(env, v)); };
  set("promptTokens", static_cast<double>(r.promptTokens));
  set("cachedTokens", static_cast<double>(r.cachedTokens));
  set("tokens", static_cast<double>(r.tokens));
  set("promptSeconds", r.promptSeconds);
  set("seconds", r.seconds);
  set("promptTokensPerSecond", r.prompt_tokens_per_second());
  set("tokensPerSecond", r.tokens_per_second());
  all.Set("finishReason", std::string(name_of(r.finishReason)));
  return all;
}

void convert_option(const Napi::Value& value, std::uint64_t& out, const Where& where) {
  if (!value.IsBigInt()) return convert(value, out, where);
  bool exact = false;
  out = value.As<Napi::BigInt>().Uint64Value(&exact);
  if (!exact) where.reject("is not between 0 and 18446744073709551615");
}
void convert_option(const Napi::Value& value, std::string& out, const Where& where) {
  out = text_from(value, where);
}
void convert_option(const Napi::Value& value, std::optional<std::int64_t>& out,
                    const Where& where) {
  double seconds = 0;
  convert(value, seconds, where);
  if (!(seconds >= -0x1p53 && seconds <= 0x1p53)) where.reject("is not a number of seconds");
  out = static_cast<std::int64_t>(seconds);
}
void convert_option(const Napi::Value& value, std::vector<std::pair<lm::Token, float>>& out,
                    const Where& where) {
  out.clear();
  for_each_item(value, where, [&](Napi::Value item, std::int64_t i) {
    auto& [token, number] = out.emplace_back();
    if (!item.IsArray()) where.at(i).reject("is not a pair of a token and a number");
    const auto pair = item.As<Napi::Array>();
    convert(pair.Get(std::uint32_t{0}), token, where.at(i));
    convert(pair.Get(std::uint32_t{1}), number, where.at(i));
  });
}

void check_names(const Napi::Object& given, const std::vector<std::string_view>& known,
                 std::string_view call) {
  const Napi::Array names = given.GetPropertyNames();
  for (std::uint32_t i = 0; i < names.Length(); ++i) {
    const std::string name = to_string(names.Get(i));
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string all;
    for (const std::string_view k : known) all += (all.empty() ? "" : ", ") + std::string(k);
    Where{call, name}.reject("is not one of its options: " + all);
  }
}

}  // namespace webnn::inline v0_1::node
