// Text from a model, piece by piece, and conversations.
#include "bindings/c/src/lm/values.h"
#include "src/formats/common/json.h"

using namespace webnn::c;
using webnn::detail::raise;

namespace {

using Text = webnn::lm::Exclusive<webnn::lm::Generation>;

/// The generation of a call; f makes it with a cache.
template <class F> Text with_cache(webnn_lm_cache* cache, F f) {
  return cache->value.use([&](webnn::lm::Cache& c) { return Text(f(c), cache->value.mutex()); });
}
Text generate(const webnn_lm_model* model, webnn_lm_cache* cache, webnn_string prompt,
              const webnn_lm_generate_options* options) {
  const webnn::lm::Model& m = need(model, {"generate", "model"}).value;
  const std::string given = text(prompt, {"generate", "prompt"});
  const auto o = options_from(options, m);
  if (!cache) return Text(m.generate(given, o));
  return with_cache(cache, [&](webnn::lm::Cache& c) { return m.generate(c, given, o); });
}
Text send(webnn_lm_chat* chat, webnn_string content, const webnn_lm_generate_options* options) {
  webnn_lm_chat& given = need(chat, {"send", "chat"});
  const auto o = options_from(options, given.model);
  std::string message = text(content, {"send", "content"});
  return given.value.use(
      [&](webnn::lm::Chat& c) { return Text(c.send(std::move(message), o), given.value.mutex()); });
}

/// Calls the function with each piece, until it stops, and stores the report.
void run(Text generation, webnn_lm_piece piece, void* data, webnn_lm_report* report,
         std::string_view function) {
  const auto next = [&] {
    return generation.use([](webnn::lm::Generation& g) -> std::optional<std::string> {
      if (const auto p = g.next()) return std::string(*p);
      return std::nullopt;
    });
  };
  while (const auto p = next())
    if (piece(p->data(), p->size(), data) != 0) break;
  store(report, generation.use([](auto& g) { return g.report(); }), function);
}

std::string json_of(const std::vector<webnn::lm::Message>& messages) {
  using webnn::formats::Value;
  Value all = Value::list();
  for (const webnn::lm::Message& m : messages) {
    Value& one = all.items.emplace_back(Value::object());
    one.set("role", Value::string(m.role)).set("content", Value::string(m.content));
    if (m.more.empty()) continue;
    auto more = webnn::formats::read_json(m.more);
    if (!more) raise(more.failure(), "messages");
    for (std::size_t i = 0; i + 1 < more->items.size(); i += 2)
      if (more->items[i].text != "role" && more->items[i].text != "content")
        one.set(more->items[i].text, more->items[i + 1]);
  }
  auto text = webnn::formats::write_json(all);
  if (!text) raise(text.failure(), "messages");
  return std::move(*text);
}

void check(webnn_lm_piece piece, const webnn_lm_report* report, std::string_view function) {
  need(piece, {function, "piece"});
  if (report && report->struct_size < sizeof(std::size_t))
    Where{function, "report"}.reject("has no struct_size: begin with WEBNN_LM_REPORT_INIT");
}

}  // namespace

webnn_status webnn_lm_model_defaults(const webnn_lm_model* model,
                                     webnn_lm_generate_options* options, webnn_error** error) {
  return guarded(error, [&] {
    const webnn::lm::GenerateOptions& from = need(model, {"defaults", "model"}).value.defaults();
    webnn_lm_generate_options& to = need(options, {"defaults", "options"});
    webnn_lm_generate_options all = complete(options, WEBNN_LM_GENERATE_OPTIONS_INIT, "defaults");
    all.max_tokens = from.maxTokens;
    all.temperature = from.temperature;
    all.top_k = from.topK;
    all.top_p = from.topP;
    all.min_p = from.minP;
    all.repetition_penalty = from.repetitionPenalty;
    all.repetition_window = from.repetitionWindow;
    std::memcpy(static_cast<void*>(&to), &all, std::min(to.struct_size, sizeof all));
  });
}

webnn_status webnn_lm_generate(const webnn_lm_model* model, webnn_lm_cache* cache,
                               webnn_string prompt, const webnn_lm_generate_options* options,
                               webnn_lm_piece piece, void* data, webnn_lm_report* report,
                               webnn_error** error) {
  return guarded(error, [&] {
    check(piece, report, "generate");
    run(generate(model, cache, prompt, options), piece, data, report, "generate");
  });
}
webnn_status webnn_lm_generation_create(const webnn_lm_model* model, webnn_lm_cache* cache,
                                        webnn_string prompt,
                                        const webnn_lm_generate_options* options,
                                        webnn_lm_generation** generation, webnn_error** error) {
  return guarded(error, [&] {
    need(generation, {"generate", "generation"});
    *generation = new webnn_lm_generation(generate(model, cache, prompt, options));
  });
}
webnn_status webnn_lm_generation_create_tokens(const webnn_lm_model* model, webnn_lm_cache* cache,
                                               const webnn_lm_token* prompt, size_t length,
                                               const webnn_lm_generate_options* options,
                                               webnn_lm_generation** generation,
                                               webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "generate";
    need(generation, {name, "generation"});
    const webnn::lm::Model& m = need(model, {name, "model"}).value;
    const auto given = list(prompt, length, {name, "prompt"});
    const auto o = options_from(options, m);
    const auto make = [&](const webnn::lm::Cache& c) {
      return m.generate(c, std::vector(given.begin(), given.end()), o);
    };
    *generation = new webnn_lm_generation(cache ? with_cache(cache, make) : Text(make(m.cache())));
  });
}
webnn_lm_generation* webnn_lm_generation_retain(webnn_lm_generation* g) { return retain(g); }
void webnn_lm_generation_release(webnn_lm_generation* g) { release(g); }
webnn_status webnn_lm_generation_next(webnn_lm_generation* generation, webnn_text** piece,
                                      webnn_error** error) {
  return guarded(error, [&] {
    need(piece, {"next", "piece"});
    *piece = need(generation, {"next", "generation"})
                 .value.use([](webnn::lm::Generation& g) -> webnn_text* {
                   const auto p = g.next();
                   return p ? new_text(std::string(*p)) : nullptr;
                 });
  });
}
webnn_status webnn_lm_generation_tokens(webnn_lm_generation* generation, webnn_lm_token* tokens,
                                        size_t capacity, size_t* count, webnn_error** error) {
  return guarded(error, [&] {
    need(generation, {"tokens", "generation"}).value.use([&](auto& g) {
      store_tokens(g.tokens(), tokens, capacity, count, "tokens");
    });
  });
}
webnn_status webnn_lm_generation_sample(webnn_lm_generation* generation, size_t index,
                                        webnn_lm_token_probability* chosen,
                                        webnn_lm_token_probability* best, size_t capacity,
                                        size_t* count, webnn_error** error) {
  return guarded(error, [&] {
    need(generation, {"sample", "generation"}).value.use([&](auto& g) {
      store_sample(g.samples(), index, chosen, best, capacity, count);
    });
  });
}
webnn_status webnn_lm_generation_report(webnn_lm_generation* generation, webnn_lm_report* report,
                                        webnn_error** error) {
  return guarded(error, [&] {
    need(report, {"report", "report"});
    store(report,
          need(generation, {"report", "generation"}).value.use([](auto& g) { return g.report(); }),
          "report");
  });
}

webnn_status webnn_lm_chat_create(const webnn_lm_model* model, const webnn_lm_message* given,
                                  size_t length, const webnn_lm_chat_options* options,
                                  webnn_lm_chat** chat, webnn_error** error) {
  return guarded(error, [&] {
    need(chat, {"chat", "chat"});
    const webnn::lm::Model& m = need(model, {"chat", "model"}).value;
    *chat =
        new webnn_lm_chat(webnn::lm::Exclusive(m.chat(messages(given, length, {"chat", "messages"}),
                                                      options_from(options))),
                          m);
  });
}
webnn_lm_chat* webnn_lm_chat_retain(webnn_lm_chat* chat) { return retain(chat); }
void webnn_lm_chat_release(webnn_lm_chat* chat) { release(chat); }
webnn_status webnn_lm_chat_send(webnn_lm_chat* chat, webnn_string content,
                                const webnn_lm_generate_options* options, webnn_lm_piece piece,
                                void* data, webnn_lm_report* report, webnn_error** error) {
  return guarded(error, [&] {
    check(piece, report, "send");
    run(send(chat, content, options), piece, data, report, "send");
  });
}
webnn_status webnn_lm_chat_generation(webnn_lm_chat* chat, webnn_string content,
                                      const webnn_lm_generate_options* options,
                                      webnn_lm_generation** generation, webnn_error** error) {
  return guarded(error, [&] {
    need(generation, {"send", "generation"});
    *generation = new webnn_lm_generation(send(chat, content, options));
  });
}
webnn_status webnn_lm_chat_messages(webnn_lm_chat* chat, webnn_text** out, webnn_error** error) {
  return guarded(error, [&] {
    need(out, {"messages", "json"});
    const auto all =
        need(chat, {"messages", "chat"}).value.use([](auto& c) { return c.messages(); });
    *out = new_text(json_of(all));
  });
}
webnn_status webnn_lm_chat_forgotten(webnn_lm_chat* chat, size_t* count, webnn_error** error) {
  return guarded(error, [&] {
    need(count, {"forgotten", "count"});
    *count = need(chat, {"forgotten", "chat"}).value.use([](auto& c) { return c.forgotten(); });
  });
}
