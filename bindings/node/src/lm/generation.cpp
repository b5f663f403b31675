// Text piece by piece, and conversations.
#include "values.h"

namespace webnn::inline v0_1::node {
namespace {

using Chat = std::shared_ptr<LmChat>;
using Text = std::shared_ptr<LmGeneration>;

Text text_of(const Napi::CallbackInfo& info) {
  Text text = self<Text>(info).value;
  if (!text) throw InvalidStateError("generate", "", "the generation was closed");
  return text;
}

/// The next piece, or null at the end.
Napi::Value next(const Napi::CallbackInfo& info) {
  const Text text = text_of(info);
  return FileWork::start(info.Env(), [text](Pending& pending) {
    const auto piece = text->generation.use([](lm::Generation& g) -> std::optional<std::string> {
      if (const auto p = g.next()) return std::string(*p);
      return std::nullopt;
    });
    pending.result = [piece](Napi::Env env) { return piece ? to_js(env, *piece) : env.Null(); };
  });
}
Napi::Value stop(const Napi::CallbackInfo& info) {
  text_of(info)->stop.request_stop();
  return info.Env().Undefined();
}
/// Gives back the cache.
Napi::Value close(const Napi::CallbackInfo& info) {
  self<Text>(info).value.reset();
  return info.Env().Undefined();
}
/// What f says of it, which may wait for a piece that is computed.
template <class F> auto of_text(const Napi::CallbackInfo& info, std::string_view method, F f) {
  const Text text = text_of(info);
  return waiting(info.Env(), method, [&] { return text->generation.use(f); });
}
/// What it has done. It may wait for a piece that is computed, so it is asked for after each.
Napi::Value report(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), of_text(info, "report", [](auto& g) { return g.report(); }));
}
Napi::Value samples(const Napi::CallbackInfo& info) {
  const auto all = of_text(info, "samples", [](auto& g) { return owned(g.samples()); });
  return to_js(info.Env(), all);
}
Napi::Value tokens(const Napi::CallbackInfo& info) {
  const auto all = of_text(info, "tokens", [](auto& g) { return owned(g.tokens()); });
  return to_js(info.Env(), all);
}

Napi::Value send(const Napi::CallbackInfo& info) {
  const Chat chat = self<Chat>(info).value;
  const std::string content = text_from(info[0], {"send", "content"});
  const std::stop_source stop;
  auto o = options_from<lm::GenerateOptions>(info[1], chat->model.defaults());
  o.cancel = stop.get_token();
  return FileWork::start(info.Env(), [chat, content, o, stop](Pending& pending) {
    auto text = std::make_shared<lm::Generation>(
        chat->chat.use([&](lm::Chat& c) { return c.send(content, o); }));
    pending.result = [text, chat, stop](Napi::Env env) -> Napi::Value {
      return make_generation(env, std::move(*text), chat->chat.mutex(), stop);
    };
  });
}
/// The text of `more` is JSON.
Napi::Value messages(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Chat chat = self<Chat>(info).value;
  const auto all = waiting(
      env, "messages", [&] { return chat->chat.use([](lm::Chat& c) { return c.messages(); }); });
  Napi::Array list = Napi::Array::New(env, all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("role", all[i].role);
    one.Set("content", all[i].content);
    one.Set("more", all[i].more);
    list.Set(i, one);
  }
  return list;
}
Napi::Value forgotten(const Napi::CallbackInfo& info) {
  const Chat chat = self<Chat>(info).value;
  const std::size_t count = waiting(info.Env(), "forgotten", [&] {
    return chat->chat.use([](lm::Chat& c) { return c.forgotten(); });
  });
  return Napi::Number::New(info.Env(), static_cast<double>(count));
}

}  // namespace

Napi::Object make_generation(Napi::Env env, lm::Generation generation,
                             std::shared_ptr<std::mutex> mutex, std::stop_source stop) {
  return make(env, std::make_shared<LmGeneration>(LmGeneration{
                       lm::Exclusive<lm::Generation>(std::move(generation), std::move(mutex)),
                       std::move(stop)}));
}

void define_lm_generation(Napi::Env env) {
  InterfaceMaker g(env, "LMGeneration", ClassId::lm_generation, &illegal_constructor<Text>, 0);
  g.promise_method<&next>("next", 0);
  g.method<&stop>("stop", 0);
  g.method<&close>("close", 0);
  g.method<&report>("report", 0);
  g.method<&tokens>("tokens", 0);
  g.method<&samples>("samples", 0);
  InterfaceMaker c(env, "LMChat", ClassId::lm_chat, &illegal_constructor<Chat>, 0);
  c.promise_method<&send>("send", 1);
  c.method<&messages>("messages", 0);
  c.method<&forgotten>("forgotten", 0);
}

}  // namespace webnn::inline v0_1::node
