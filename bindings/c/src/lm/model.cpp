// Models, caches and vectors of texts.
#include "bindings/c/src/json.h"
#include "bindings/c/src/lm/values.h"

using namespace webnn::c;

namespace {

void write_weights(JsonWriter& json, const std::vector<webnn::lm::WeightReport>& all) {
  json.key("weights").open('[');
  for (const webnn::lm::WeightReport& w : all) {
    json.open('{').key("stored").string(w.stored).key("kept").string(w.kept);
    json.key("tensors").number(std::uint64_t{w.tensors});
    json.key("storedBytes").number(w.storedBytes).key("keptBytes").number(w.keptBytes).close('}');
  }
  json.close(']');
}

std::string json_of(const webnn::lm::ModelInfo& m) {
  JsonWriter json;
  const auto number = [&](std::string_view key, std::uint64_t v) { json.key(key).number(v); };
  json.open('{').key("architecture").string(m.architecture).key("name").string(m.name);
  number("layers", m.layers);
  number("width", m.width);
  number("heads", m.heads);
  number("keyHeads", m.keyHeads);
  number("headSize", m.headSize);
  number("vocabulary", m.vocabulary);
  number("contextLength", m.contextLength);
  number("capacity", m.capacity);
  number("parameters", m.parameters);
  write_weights(json, m.weights);
  return json.close('}').text();
}

/// The memory for floats, of which there have to be so many.
std::span<float> room(float* to, std::size_t length, std::size_t needed, Where where) {
  if (length != needed)
    where.reject("has room for " + std::to_string(length) + " numbers, not for " +
                 std::to_string(needed));
  return list(to, length, where);
}

}  // namespace

webnn_status webnn_lm_load(webnn_context* context, webnn_string path,
                           const webnn_lm_load_options* options, webnn_lm_model** model,
                           webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "load";
    need(model, {name, "model"});
    *model = new webnn_lm_model(webnn::lm::load(need(context, {name, "context"}).value,
                                                text(path, {name, "path"}), options_from(options)));
  });
}
webnn_lm_model* webnn_lm_model_retain(webnn_lm_model* m) { return retain(m); }
void webnn_lm_model_release(webnn_lm_model* m) { release(m); }
webnn_status webnn_lm_model_info(const webnn_lm_model* model, webnn_text** json,
                                 webnn_error** error) {
  return guarded(error, [&] {
    need(json, {"info", "json"});
    *json = new_text(json_of(need(model, {"info", "model"}).value.info()));
  });
}
uint32_t webnn_lm_model_width(const webnn_lm_model* m) { return m ? m->value.info().width : 0; }
uint32_t webnn_lm_model_vocabulary(const webnn_lm_model* m) {
  return m ? m->value.info().vocabulary : 0;
}
webnn_status webnn_lm_model_tokenizer(const webnn_lm_model* model, webnn_lm_tokenizer** tokenizer,
                                      webnn_error** error) {
  return guarded(error, [&] {
    need(tokenizer, {"tokenizer", "tokenizer"});
    *tokenizer = new webnn_lm_tokenizer(need(model, {"tokenizer", "model"}).value.tokenizer());
  });
}
webnn_status webnn_lm_model_graph(const webnn_lm_model* model, webnn_graph** graph,
                                  webnn_error** error) {
  return guarded(error, [&] {
    need(graph, {"graph", "graph"});
    *graph = new webnn_graph(need(model, {"graph", "model"}).value.graph());
  });
}
webnn_status webnn_lm_model_end_tokens(const webnn_lm_model* model, webnn_lm_token* tokens,
                                       size_t capacity, size_t* count, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "endTokens";
    store_tokens(need(model, {name, "model"}).value.end_tokens(), tokens, capacity, count, name);
  });
}

webnn_status webnn_lm_cache_create(const webnn_lm_model* model, webnn_lm_cache** cache,
                                   webnn_error** error) {
  return guarded(error, [&] {
    need(cache, {"cache", "cache"});
    *cache =
        new webnn_lm_cache(webnn::lm::Exclusive(need(model, {"cache", "model"}).value.cache()));
  });
}
webnn_status webnn_lm_cache_load(const webnn_lm_model* model, webnn_string path,
                                 webnn_lm_cache** cache, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "load_cache";
    need(cache, {name, "cache"});
    *cache = new webnn_lm_cache(webnn::lm::Exclusive(
        need(model, {name, "model"}).value.load_cache(text(path, {name, "path"}))));
  });
}
webnn_lm_cache* webnn_lm_cache_retain(webnn_lm_cache* c) { return retain(c); }
void webnn_lm_cache_release(webnn_lm_cache* c) { release(c); }
uint32_t webnn_lm_cache_size(webnn_lm_cache* cache) {
  return cache ? cache->value.use([](auto& c) { return c.size(); }) : 0;
}
uint32_t webnn_lm_cache_capacity(webnn_lm_cache* cache) {
  return cache ? cache->value.use([](auto& c) { return c.capacity(); }) : 0;
}
webnn_status webnn_lm_cache_tokens(webnn_lm_cache* cache, webnn_lm_token* tokens, size_t capacity,
                                   size_t* count, webnn_error** error) {
  return guarded(error, [&] {
    need(cache, {"tokens", "cache"}).value.use([&](auto& c) {
      store_tokens(c.tokens(), tokens, capacity, count, "tokens");
    });
  });
}
webnn_status webnn_lm_cache_trim(webnn_lm_cache* cache, uint32_t size, webnn_error** error) {
  return guarded(error, [&] {
    need(cache, {"trim", "cache"}).value.use([&](auto& c) { c.trim(size); });
  });
}
webnn_status webnn_lm_cache_fork(webnn_lm_cache* cache, webnn_lm_cache** fork,
                                 webnn_error** error) {
  return guarded(error, [&] {
    need(fork, {"fork", "fork"});
    *fork = new webnn_lm_cache(webnn::lm::Exclusive(
        need(cache, {"fork", "cache"}).value.use([](auto& c) { return c.fork(); })));
  });
}
webnn_status webnn_lm_cache_save(webnn_lm_cache* cache, webnn_string path, webnn_error** error) {
  return guarded(error, [&] {
    const std::string to = text(path, {"save", "path"});
    need(cache, {"save", "cache"}).value.use([&](auto& c) { c.save(to); });
  });
}
webnn_status webnn_lm_evaluate(const webnn_lm_model* model, webnn_lm_cache* cache,
                               const webnn_lm_token* tokens, size_t length, uint32_t rows,
                               float* logits, size_t logits_length, webnn_stop* stop,
                               webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "evaluate";
    const webnn::lm::Model& m = need(model, {name, "model"}).value;
    const auto given = list(tokens, length, {name, "tokens"});
    const auto to =
        room(logits, logits_length, std::size_t{rows} * m.info().vocabulary, {name, "logits"});
    const std::stop_token token = stop ? stop->source.get_token() : std::stop_token();
    const auto made = need(cache, {name, "cache"}).value.use([&](auto& c) {
      return m.evaluate(c, given, rows, token);
    });
    std::ranges::copy(made, to.begin());
  });
}

webnn_status webnn_lm_embed(const webnn_lm_model* model, const webnn_string* texts, size_t length,
                            float* vectors, size_t vectors_length, webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "embed";
    const webnn::lm::Model& m = need(model, {name, "model"}).value;
    std::vector<std::string> all;
    for (const webnn_string& s : list(texts, length, {name, "texts"}))
      all.push_back(text(s, {name, "texts"}));
    const auto to =
        room(vectors, vectors_length, length * std::size_t{m.info().width}, {name, "vectors"});
    auto at = to.begin();
    for (const std::vector<float>& v : m.embed(all)) at = std::ranges::copy(v, at).out;
  });
}
webnn_status webnn_lm_embed_tokens(const webnn_lm_model* model, const webnn_lm_token* tokens,
                                   size_t length, float* vector, size_t vector_length,
                                   webnn_error** error) {
  return guarded(error, [&] {
    constexpr std::string_view name = "embed";
    const webnn::lm::Model& m = need(model, {name, "model"}).value;
    const auto to = room(vector, vector_length, m.info().width, {name, "vector"});
    std::ranges::copy(m.embed(list(tokens, length, {name, "tokens"})), to.begin());
  });
}
