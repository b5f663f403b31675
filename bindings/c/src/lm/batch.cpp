// Several texts at once.
#include "bindings/c/src/lm/values.h"

using namespace webnn::c;
using webnn::lm::Batch;

namespace {

constexpr std::string_view name = "batch";

webnn_lm_batch& given(webnn_lm_batch* batch) { return need(batch, {name, "batch"}); }

}  // namespace

webnn_status webnn_lm_batch_create(const webnn_lm_model* model, uint32_t sequences,
                                   webnn_lm_batch** batch, webnn_error** error) {
  return guarded(error, [&] {
    need(batch, {name, "batch"});
    const webnn::lm::Model& m = need(model, {name, "model"}).value;
    *batch = new webnn_lm_batch(m.batch({.sequences = sequences}), m);
  });
}
webnn_lm_batch* webnn_lm_batch_retain(webnn_lm_batch* batch) { return retain(batch); }
void webnn_lm_batch_release(webnn_lm_batch* batch) { release(batch); }

webnn_status webnn_lm_batch_add(webnn_lm_batch* batch, webnn_string prompt,
                                const webnn_lm_generate_options* options, size_t* sequence,
                                webnn_error** error) {
  return guarded(error, [&] {
    webnn_lm_batch& b = given(batch);
    const std::size_t n =
        b.open.add(text(prompt, {name, "prompt"}), options_from(options, b.model));
    if (sequence) *sequence = n;
  });
}
webnn_status webnn_lm_batch_add_tokens(webnn_lm_batch* batch, webnn_lm_cache* cache,
                                       const webnn_lm_token* prompt, size_t length,
                                       const webnn_lm_generate_options* options, size_t* sequence,
                                       webnn_error** error) {
  return guarded(error, [&] {
    webnn_lm_batch& b = given(batch);
    const auto tokens = list(prompt, length, {name, "prompt"});
    std::vector<webnn::lm::Token> own(tokens.begin(), tokens.end());
    const auto o = options_from(options, b.model);
    const std::size_t n =
        cache ? b.open.add(cache->value.use([](webnn::lm::Cache& c) { return c.fork(); }),
                           std::move(own), o)
              : b.open.add(std::move(own), o);
    if (sequence) *sequence = n;
  });
}
webnn_status webnn_lm_batch_cancel(webnn_lm_batch* batch, size_t sequence, webnn_error** error) {
  return guarded(error, [&] { given(batch).open.cancel(sequence); });
}
webnn_status webnn_lm_batch_next(webnn_lm_batch* batch, webnn_stop* stop, size_t* sequence,
                                 webnn_text** piece, webnn_error** error) {
  return guarded(error, [&] {
    need(sequence, {name, "sequence"});
    need(piece, {name, "piece"});
    const std::stop_token token = stop ? stop->source.get_token() : std::stop_token();
    given(batch).value.use([&](Batch& b) {
      const auto p = b.next(token);
      *piece = p ? new_text(std::string(p->text)) : nullptr;
      if (p) *sequence = p->sequence;
    });
  });
}
webnn_status webnn_lm_batch_count(webnn_lm_batch* batch, size_t* size, size_t* running,
                                  size_t* waiting, webnn_error** error) {
  return guarded(error, [&] {
    given(batch).value.use([&](Batch& b) {
      if (size) *size = b.size();
      if (running) *running = b.running();
      if (waiting) *waiting = b.waiting();
    });
  });
}
webnn_status webnn_lm_batch_text(webnn_lm_batch* batch, size_t sequence, webnn_text** out,
                                 webnn_error** error) {
  return guarded(error, [&] {
    need(out, {name, "text"});
    *out =
        given(batch).value.use([&](Batch& b) { return new_text(std::string(b.text(sequence))); });
  });
}
webnn_status webnn_lm_batch_tokens(webnn_lm_batch* batch, size_t sequence, webnn_lm_token* tokens,
                                   size_t capacity, size_t* count, webnn_error** error) {
  return guarded(error, [&] {
    given(batch).value.use(
        [&](Batch& b) { store_tokens(b.tokens(sequence), tokens, capacity, count, "tokens"); });
  });
}
webnn_status webnn_lm_batch_sample(webnn_lm_batch* batch, size_t sequence, size_t index,
                                   webnn_lm_token_probability* chosen,
                                   webnn_lm_token_probability* best, size_t capacity, size_t* count,
                                   webnn_error** error) {
  return guarded(error, [&] {
    given(batch).value.use(
        [&](Batch& b) { store_sample(b.samples(sequence), index, chosen, best, capacity, count); });
  });
}
webnn_status webnn_lm_batch_report(webnn_lm_batch* batch, size_t sequence, webnn_lm_report* report,
                                   webnn_error** error) {
  return guarded(error, [&] {
    need(report, {"report", "report"});
    store(report, given(batch).value.use([&](Batch& b) { return b.report(sequence); }), "report");
  });
}
webnn_status webnn_lm_batch_forget(webnn_lm_batch* batch, size_t sequence, webnn_error** error) {
  return guarded(error, [&] { given(batch).value.use([&](Batch& b) { b.forget(sequence); }); });
}
