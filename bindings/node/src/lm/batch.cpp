// Several texts at once.
#include "values.h"

namespace webnn::inline v0_1::node {
namespace {

using lm::Batch;
using Several = std::shared_ptr<LmBatch>;

LmBatch& self_of(const Napi::CallbackInfo& info) { return *self<Several>(info).value; }

/// newBatch(model, sequences)
Napi::Value make_batch(const Napi::CallbackInfo& info) {
  const auto& model = native_argument<lm::Model>(info[0], {"batch", "model"});
  lm::BatchOptions options;
  if (!info[1].IsUndefined()) convert(info[1], options.sequences, {"batch", "sequences"});
  return make(info.Env(), std::make_shared<LmBatch>(model.batch(options), model));
}

/// add(prompt, cache, options): the prompt is a string or a list of tokens.
Napi::Value add(const Napi::CallbackInfo& info) {
  LmBatch& b = self_of(info);
  const auto o = options_from<lm::GenerateOptions>(info[2], b.model.defaults());
  const auto tokens = info[0].IsString() ? b.model.tokenizer().encode(to_string(info[0]))
                                         : tokens_from(info[0], {"add", "prompt"});
  std::size_t number = 0;
  if (info[1].IsUndefined()) {
    number = b.open.add(tokens, o);
  } else {
    const auto cache = native_argument<std::shared_ptr<LmCache>>(info[1], {"add", "cache"});
    number = waiting(info.Env(), "add", [&] {
      return b.open.add(cache->use([](lm::Cache& c) { return c.fork(); }), tokens, o);
    });
  }
  return Napi::Number::New(info.Env(), static_cast<double>(number));
}

std::size_t number_from(const Napi::CallbackInfo& info) {
  std::uint32_t number = 0;
  convert(info[0], number, {"batch", "sequence"});
  return number;
}
Napi::Value cancel(const Napi::CallbackInfo& info) {
  self_of(info).open.cancel(number_from(info));
  return info.Env().Undefined();
}
/// The next piece and its sequence, or null at the end.
Napi::Value next(const Napi::CallbackInfo& info) {
  const Several b = self<Several>(info).value;
  if (b->stop.stop_requested()) b->stop = {};
  return FileWork::start(info.Env(), [b, stop = b->stop.get_token()](Pending& pending) {
    const auto piece =
        b->batch.use([&](Batch& x) -> std::optional<std::pair<std::size_t, std::string>> {
          if (const auto p = x.next(stop)) return std::pair(p->sequence, std::string(p->text));
          return std::nullopt;
        });
    pending.result = [piece](Napi::Env env) -> Napi::Value {
      if (!piece) return env.Null();
      Napi::Object one = Napi::Object::New(env);
      one.Set("sequence", Napi::Number::New(env, static_cast<double>(piece->first)));
      one.Set("text", to_js(env, piece->second));
      return one;
    };
  });
}
Napi::Value stop(const Napi::CallbackInfo& info) {
  self_of(info).stop.request_stop();
  return info.Env().Undefined();
}

/// What f says of it, which may wait for a step.
template <class F> auto of_batch(const Napi::CallbackInfo& info, std::string_view method, F f) {
  const Several b = self<Several>(info).value;
  return waiting(info.Env(), method, [&] { return b->batch.use(f); });
}
template <std::size_t (Batch::*F)() const> Napi::Value count(const Napi::CallbackInfo& info) {
  const std::size_t n = of_batch(info, "LMBatch", [](Batch& b) { return (b.*F)(); });
  return Napi::Number::New(info.Env(), static_cast<double>(n));
}
/// What a member function says of a sequence.
template <auto F> Napi::Value of_sequence(const Napi::CallbackInfo& info) {
  const std::size_t n = number_from(info);
  return to_js(info.Env(), of_batch(info, "LMBatch", [&](Batch& b) { return owned((b.*F)(n)); }));
}
Napi::Value forget(const Napi::CallbackInfo& info) {
  const std::size_t n = number_from(info);
  of_batch(info, "forget", [&](Batch& b) { b.forget(n); });
  return info.Env().Undefined();
}

}  // namespace

void define_lm_batch(Napi::Env env, Napi::Object lm) {
  InterfaceMaker b(env, "LMBatch", ClassId::lm_batch, &illegal_constructor<Several>, 0);
  b.method<&add>("add", 1);
  b.method<&cancel>("cancel", 1);
  b.promise_method<&next>("next", 0);
  b.method<&stop>("stop", 0);
  b.method<&of_sequence<&Batch::text>>("text", 1);
  b.method<&of_sequence<&Batch::tokens>>("tokens", 1);
  b.method<&of_sequence<&Batch::samples>>("samples", 1);
  b.method<&of_sequence<&Batch::report>>("report", 1);
  b.method<&forget>("forget", 1);
  b.attribute<&count<&Batch::size>>("size");
  b.attribute<&count<&Batch::running>>("running");
  b.attribute<&count<&Batch::waiting>>("waiting");
  lm.Set("newBatch", Napi::Function::New<&throwing<&make_batch>>(env, "newBatch"));
}

}  // namespace webnn::inline v0_1::node
