// Models and caches.
#include "src/runtime/context_options.h"

#include "values.h"

namespace webnn::inline v0_1::node {
namespace {

using Cache = std::shared_ptr<LmCache>;
using lm::Model;

/// The bytes of keys and values, of which a cache has room for its capacity.
std::int64_t bytes_of_cache(const Model& model) {
  const lm::ModelInfo& m = model.info();
  return std::int64_t{m.layers} * m.keyHeads * m.headSize * m.capacity * 2 * 2;
}
Napi::Object make_cache(Napi::Env env, lm::Cache cache, std::int64_t bytes) {
  return make(env, std::make_shared<LmCache>(std::move(cache)), bytes);
}

/// load(path, context, options): without a context, the options are also those of one.
Napi::Value load(const Napi::CallbackInfo& info) {
  constexpr std::string_view call = "load";
  const std::string path = to_path(info[0], {call, "path"});
  std::optional<MLContext> context;
  if (!info[1].IsUndefined()) context = native_argument<MLContext>(info[1], {call, "context"});
  lm::LoadOptions options;
  MLContextOptions context_options;
  if (const auto given = to_dictionary(info[2], {call, "options"})) {
    auto names = option_names<lm::LoadOptions>();
    if (!context)
      for_each_context_option([&]<class Row>(const Row& row) {
        if constexpr (Row::of != OptionOf::native) names.push_back(row.name);
      });
    check_names(*given, names, call);
    set_options(options, *given);
    if (!context) convert(info[2], context_options, {call, "options"});
  }
  return FileWork::start(info.Env(), [path, context, options, context_options](Pending& pending) {
    const Model model = lm::load(context ? *context : MLContext(context_options), path, options);
    pending.result = [model](Napi::Env env) -> Napi::Value {
      const std::uint64_t bytes = model.graph().memory().total();
      return make(env, model, static_cast<std::int64_t>(bytes));
    };
  });
}

Napi::Value info_of(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const lm::ModelInfo& m = self<Model>(info).value.info();
  Napi::Object all = Napi::Object::New(env);
  const auto set = [&](Napi::Object to, const char* name, auto v) {
    to.Set(name, Napi::Number::New(env, static_cast<double>(v)));
  };
  all.Set("architecture", m.architecture);
  all.Set("name", m.name);
  set(all, "layers", m.layers);
  set(all, "width", m.width);
  set(all, "heads", m.heads);
  set(all, "keyHeads", m.keyHeads);
  set(all, "headSize", m.headSize);
  set(all, "vocabulary", m.vocabulary);
  set(all, "contextLength", m.contextLength);
  set(all, "capacity", m.capacity);
  set(all, "parameters", m.parameters);
  Napi::Array weights = Napi::Array::New(env);
  for (const lm::WeightReport& w : m.weights) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("stored", w.stored);
    one.Set("kept", w.kept);
    set(one, "tensors", w.tensors);
    set(one, "storedBytes", w.storedBytes);
    set(one, "keptBytes", w.keptBytes);
    weights.Set(weights.Length(), one);
  }
  all.Set("weights", weights);
  return all;
}
Napi::Value has_tokenizer(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), self<Model>(info).value.has_tokenizer());
}
Napi::Value tokenizer(const Napi::CallbackInfo& info) {
  return make(info.Env(), self<Model>(info).value.tokenizer());
}
Napi::Value end_tokens(const Napi::CallbackInfo& info) {
  return to_js(info.Env(), self<Model>(info).value.end_tokens());
}
Napi::Value graph(const Napi::CallbackInfo& info) {
  return make(info.Env(), self<Model>(info).value.graph());
}

Napi::Value cache(const Napi::CallbackInfo& info) {
  const Model& model = self<Model>(info).value;
  return make_cache(info.Env(), model.cache(), bytes_of_cache(model));
}
Napi::Value load_cache(const Napi::CallbackInfo& info) {
  const Model model = self<Model>(info).value;
  const std::string path = to_path(info[0], {"loadCache", "path"});
  return FileWork::start(info.Env(), [model, path](Pending& pending) {
    pending.result = [cache = model.load_cache(path), bytes = bytes_of_cache(model)](
                         Napi::Env env) -> Napi::Value { return make_cache(env, cache, bytes); };
  });
}

Napi::Value evaluate(const Napi::CallbackInfo& info) {
  const Model model = self<Model>(info).value;
  const Cache cache = native_argument<Cache>(info[0], {"evaluate", "cache"});
  const auto tokens = tokens_from(info[1], {"evaluate", "tokens"});
  std::uint32_t rows = 1;
  if (!info[2].IsUndefined()) convert(info[2], rows, {"evaluate", "rows"});
  return FileWork::start(info.Env(), [model, cache, tokens, rows](Pending& pending) {
    pending.result = [logits = cache->use([&](lm::Cache& c) {
      return model.evaluate(c, tokens, rows);
    })](Napi::Env env) { return to_js(env, std::span<const float>(logits)); };
  });
}

Napi::Value embed(const Napi::CallbackInfo& info) {
  const Model model = self<Model>(info).value;
  std::vector<std::string> texts;
  for_each_item(info[0], {"embed", "texts"}, [&](Napi::Value item, std::int64_t i) {
    texts.push_back(text_from(item, Where{"embed", "texts"}.at(i)));
  });
  return FileWork::start(info.Env(), [model, texts](Pending& pending) {
    pending.result = [vectors = model.embed(texts)](Napi::Env env) -> Napi::Value {
      Napi::Array all = Napi::Array::New(env, vectors.size());
      for (std::uint32_t i = 0; i < vectors.size(); ++i)
        all.Set(i, to_js(env, std::span<const float>(vectors[i])));
      return all;
    };
  });
}
Napi::Value embed_tokens(const Napi::CallbackInfo& info) {
  const Model model = self<Model>(info).value;
  const auto tokens = tokens_from(info[0], {"embedTokens", "tokens"});
  return FileWork::start(info.Env(), [model, tokens](Pending& pending) {
    pending.result = [vector = model.embed(std::span(tokens))](Napi::Env env) {
      return to_js(env, std::span<const float>(vector));
    };
  });
}

/// generate(prompt, cache, options): the prompt is a string or a list of tokens. The promise is one
/// of the generation: making its cache takes time.
Napi::Value generate(const Napi::CallbackInfo& info) {
  constexpr std::string_view call = "generate";
  const Model model = self<Model>(info).value;
  const std::stop_source stop;
  auto o = options_from<lm::GenerateOptions>(info[2], model.defaults());
  o.cancel = stop.get_token();
  Cache cache;
  if (!info[1].IsUndefined()) cache = native_argument<Cache>(info[1], {call, "cache"});
  const bool is_text = info[0].IsString();
  const std::string text = is_text ? to_string(info[0]) : std::string();
  const auto tokens = is_text ? std::vector<lm::Token>() : tokens_from(info[0], {call, "prompt"});
  return FileWork::start(info.Env(), [=](Pending& pending) {
    const auto make = [&](const lm::Cache& c) {
      return is_text ? model.generate(c, text, o) : model.generate(c, tokens, o);
    };
    const auto mutex = cache ? cache->mutex() : std::make_shared<std::mutex>();
    auto text_made = std::make_shared<lm::Generation>(cache     ? cache->use(make)
                                                      : is_text ? model.generate(text, o)
                                                                : make(model.cache()));
    pending.result = [text_made, mutex, stop](Napi::Env env) -> Napi::Value {
      return make_generation(env, std::move(*text_made), mutex, stop);
    };
  });
}

Napi::Value chat(const Napi::CallbackInfo& info) {
  const Model& model = self<Model>(info).value;
  auto chat = model.chat(messages_from(info[0], "chat"), options_from<lm::ChatOptions>(info[1]));
  return make(info.Env(),
              std::make_shared<LmChat>(LmChat{lm::Exclusive<lm::Chat>(std::move(chat)), model}),
              bytes_of_cache(model));
}

// Caches

/// What f says of it, which may wait for a run.
template <class F> auto of_cache(const Napi::CallbackInfo& info, std::string_view method, F f) {
  const Cache cache = self<Cache>(info).value;
  return waiting(info.Env(), method, [&] { return cache->use(f); });
}
Napi::Value cache_size(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), of_cache(info, "size", [](auto& c) { return c.size(); }));
}
Napi::Value capacity(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(),
                           of_cache(info, "capacity", [](auto& c) { return c.capacity(); }));
}
Napi::Value cache_tokens(const Napi::CallbackInfo& info) {
  const auto all = of_cache(info, "tokens", [](auto& c) { return owned(c.tokens()); });
  return to_js(info.Env(), all);
}
Napi::Value trim(const Napi::CallbackInfo& info) {
  std::uint32_t size = 0;
  convert(info[0], size, {"trim", "size"});
  of_cache(info, "trim", [&](auto& c) { c.trim(size); });
  return info.Env().Undefined();
}
Napi::Value fork(const Napi::CallbackInfo& info) {
  const Cache cache = self<Cache>(info).value;
  return FileWork::start(info.Env(), [cache](Pending& pending) {
    pending.result = [other = cache->use([](auto& c) { return c.fork(); })](
                         Napi::Env env) -> Napi::Value { return make_cache(env, other, 65536); };
  });
}
Napi::Value save(const Napi::CallbackInfo& info) {
  const Cache cache = self<Cache>(info).value;
  const std::string path = to_path(info[0], {"save", "path"});
  return FileWork::start(info.Env(), [cache, path](Pending& pending) {
    cache->use([&](auto& c) { c.save(path); });
    pending.result = [](Napi::Env env) { return env.Undefined(); };
  });
}

}  // namespace

void define_lm_model(Napi::Env env, Napi::Object lm) {
  InterfaceMaker m(env, "LMModel", ClassId::lm_model, &illegal_constructor<Model>, 0);
  m.attribute<&info_of>("info");
  m.attribute<&has_tokenizer>("hasTokenizer");
  m.attribute<&end_tokens>("endTokens");
  m.method<&tokenizer>("tokenizer", 0);
  m.method<&graph>("graph", 0);
  m.method<&cache>("cache", 0);
  m.method<&chat>("chat", 1);
  m.promise_method<&load_cache>("loadCache", 1);
  m.promise_method<&evaluate>("evaluate", 2);
  m.promise_method<&generate>("generate", 1);
  m.promise_method<&embed>("embed", 1);
  m.promise_method<&embed_tokens>("embedTokens", 1);
  InterfaceMaker c(env, "LMCache", ClassId::lm_cache, &illegal_constructor<Cache>, 0);
  c.attribute<&cache_size>("size");
  c.attribute<&capacity>("capacity");
  c.attribute<&cache_tokens>("tokens");
  c.method<&trim>("trim", 1);
  c.promise_method<&fork>("fork", 0);
  c.promise_method<&save>("save", 1);
  lm.Set("load", Napi::Function::New<&promised<&load>>(env, "load"));
}

}  // namespace webnn::inline v0_1::node
