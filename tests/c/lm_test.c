/* Language models: the texts and vectors that the library makes of the same files in C++. */
#include <math.h>
#include <pthread.h>

#include "tests/c/check.h"

static webnn_error* error;
static const char *files, *folder;
static int other_processor; /* than the one that wrote the files, as under valgrind */

static webnn_string str(const char* text) {
  webnn_string s;
  s.data = text;
  s.length = strlen(text);
  return s;
}
/* A static buffer: one path at a time. */
static webnn_string path(const char* in, const char* name) {
  static char text[4096];
  snprintf(text, sizeof text, "%s/%s", in, name);
  return str(text);
}
/* All of a file, with a zero behind it. */
static char* contents(const char* name, size_t* size) {
  FILE* file = fopen(path(files, name).data, "rb");
  char* text;
  CHECK(file != NULL);
  text = calloc(1, 1 << 16);
  *size = fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  return text;
}

struct text {
  char data[8192];
  size_t length, pieces, most; /* stops after so many pieces, if not 0 */
};
static int32_t append(const char* piece, size_t length, void* data) {
  struct text* to = data;
  CHECK(length > 0 && to->length + length < sizeof to->data);
  CHECK(((unsigned char)piece[0] & 0xc0) != 0x80); /* a character begins */
  memcpy(to->data + to->length, piece, length);
  to->length += length;
  return ++to->pieces == to->most;
}
static void check_text(const struct text* text, const char* name) {
  size_t size;
  char* expected = contents(name, &size);
  CHECK(text->length == size && memcmp(text->data, expected, size) == 0);
  free(expected);
}

static webnn_lm_generate_options of(uint32_t max_tokens) {
  webnn_lm_generate_options o = WEBNN_LM_GENERATE_OPTIONS_INIT;
  o.max_tokens = max_tokens;
  o.ignore_end = 1;
  return o;
}
static webnn_lm_generate_options sampled(void) {
  webnn_lm_generate_options o = of(48);
  o.temperature = 2;
  o.top_k = 300;
  o.top_p = 0.9f;
  o.min_p = 0.001f;
  o.repetition_penalty = 1.25f;
  o.seed = 7;
  return o;
}

static void test_texts(const webnn_lm_model* model) {
  const webnn_lm_bias bias[] = {{3 + 0xc3, 12}, {3 + 0xa9, 12}};
  const webnn_string stop[] = {{"never", 5}, {"w300w", 5}};
  const webnn_lm_token stop_token = 511;
  webnn_lm_report report = WEBNN_LM_REPORT_INIT;
  webnn_lm_generate_options o = of(24);
  struct text text = {{0}, 0, 0, 0};
  OK(webnn_lm_generate(model, NULL, str("w300 w301"), &o, append, &text, &report, &error));
  check_text(&text, "greedy.txt");
  CHECK(report.tokens == 24 && report.finish_reason == WEBNN_LM_LENGTH);
  CHECK(report.prompt_tokens > 2 && report.tokens_per_second > 0 && report.seconds > 0);

  text.length = 0;
  o = sampled();
  OK(webnn_lm_generate(model, NULL, str("w300 w301"), &o, append, &text, NULL, &error));
  check_text(&text, "sampled.txt");

  text.length = 0;
  o.repetition_window = 8;
  o.bias = bias, o.bias_length = 2;
  o.stop = stop, o.stop_length = 2;
  o.stop_tokens = &stop_token, o.stop_tokens_length = 1;
  OK(webnn_lm_generate(model, NULL, str("w300 w301"), &o, append, &text, NULL, &error));
  check_text(&text, "biased.txt");

  o = of(24);
  text.length = text.pieces = 0, text.most = 3; /* the callback stops */
  OK(webnn_lm_generate(model, NULL, str("w300 w301"), &o, append, &text, &report, &error));
  CHECK(text.pieces == 3 && report.finish_reason == WEBNN_LM_NONE && report.tokens < 24);
}

static void test_generation(const webnn_lm_model* model) {
  webnn_lm_generate_options o = of(24);
  webnn_lm_report report = WEBNN_LM_REPORT_INIT;
  webnn_lm_generation* generation;
  webnn_text* piece;
  webnn_lm_tokenizer* tokenizer;
  webnn_lm_cache* cache;
  webnn_lm_token tokens[64];
  size_t count;
  struct text text = {{0}, 0, 0, 0};
  o.cancel = webnn_stop_create();
  OK(webnn_lm_model_tokenizer(model, &tokenizer, &error));
  OK(webnn_lm_tokenizer_encode(tokenizer, str("w300 w301"), NULL, tokens, 64, &count, &error));
  OK(webnn_lm_cache_create(model, &cache, &error));
  OK(webnn_lm_generation_create_tokens(model, cache, tokens, count, &o, &generation, &error));
  for (;;) {
    OK(webnn_lm_generation_next(generation, &piece, &error));
    if (!piece) break;
    append(webnn_text_string(piece).data, webnn_text_string(piece).length, &text);
    webnn_text_release(piece);
  }
  check_text(&text, "greedy.txt");
  OK(webnn_lm_generation_tokens(generation, tokens, 64, &count, &error));
  CHECK(count == 24);
  OK(webnn_lm_generation_report(generation, &report, &error));
  CHECK(report.tokens == 24 && report.cached_tokens == 0);
  webnn_lm_generation_release(generation);

  OK(webnn_lm_generation_create(model, cache, str("w300 w301"), &o, &generation, &error));
  OK(webnn_lm_generation_next(generation, &piece, &error));
  webnn_text_release(piece);
  OK(webnn_lm_generation_report(generation, &report, &error));
  CHECK(report.cached_tokens == report.prompt_tokens - 1); /* the cache has the beginning */
  webnn_stop_request(o.cancel);
  FAILS(webnn_lm_generation_next(generation, &piece, &error), WEBNN_ABORT_ERROR, "dispatch",
        "canceled");
  webnn_lm_generation_release(generation);
  webnn_stop_release(o.cancel);
  o.cancel = NULL;

  OK(webnn_lm_generation_create(model, cache, str("w300 w301"), &o, &generation, &error));
  OK(webnn_lm_cache_trim(cache, 1, &error));
  FAILS(webnn_lm_generation_next(generation, &piece, &error), WEBNN_INVALID_STATE_ERROR, "generate",
        "the cache was changed");
  webnn_lm_generation_release(generation);
  webnn_lm_cache_release(cache);
  webnn_lm_tokenizer_release(tokenizer);
}

static void test_caches(const webnn_lm_model* model) {
  webnn_lm_cache *cache, *fork, *loaded;
  const webnn_lm_token tokens[] = {10, 20, 30};
  webnn_lm_token read[3] = {0, 0, 0};
  const uint32_t vocabulary = webnn_lm_model_vocabulary(model);
  float *logits = malloc(2 * vocabulary * sizeof(float)),
        *again = malloc(vocabulary * sizeof(float)), *other = malloc(vocabulary * sizeof(float));
  uint32_t i;
  size_t count;
  CHECK(vocabulary == 512);
  OK(webnn_lm_cache_create(model, &cache, &error));
  CHECK(webnn_lm_cache_size(cache) == 0 && webnn_lm_cache_capacity(cache) == 256);
  OK(webnn_lm_evaluate(model, cache, tokens, 3, 2, logits, 2 * vocabulary, NULL, &error));
  CHECK(webnn_lm_cache_size(cache) == 3);
  OK(webnn_lm_cache_tokens(cache, read, 2, &count, &error)); /* room for two of three */
  CHECK(count == 3 && read[0] == 10 && read[1] == 20 && read[2] == 0);
  OK(webnn_lm_cache_fork(cache, &fork, &error));
  OK(webnn_lm_cache_save(cache, path(folder, "lm.cache"), &error));
  OK(webnn_lm_cache_load(model, path(folder, "lm.cache"), &loaded, &error));
  OK(webnn_lm_cache_trim(cache, 0, &error));
  CHECK(webnn_lm_cache_size(cache) == 0 && webnn_lm_cache_size(fork) == 3 &&
        webnn_lm_cache_size(loaded) == 3);
  OK(webnn_lm_cache_trim(fork, 2, &error));
  OK(webnn_lm_cache_trim(loaded, 2, &error));
  OK(webnn_lm_evaluate(model, fork, tokens + 2, 1, 1, again, vocabulary, NULL, &error));
  OK(webnn_lm_evaluate(model, loaded, tokens + 2, 1, 1, other, vocabulary, NULL, &error));
  CHECK(memcmp(again, other, vocabulary * sizeof(float)) == 0);
  for (i = 0; i < vocabulary; ++i) CHECK(fabsf(again[i] - logits[vocabulary + i]) < 0.01f);
  FAILS(webnn_lm_cache_trim(fork, 4, &error), WEBNN_TYPE_ERROR, "trim", "4");
  FAILS(webnn_lm_evaluate(model, fork, tokens, 3, 1, logits, 3, NULL, &error), WEBNN_TYPE_ERROR,
        "evaluate", "logits has room for 3 numbers, not for 512");
  FAILS(webnn_lm_evaluate(model, fork, tokens, 0, 0, NULL, 0, NULL, &error), WEBNN_TYPE_ERROR,
        "evaluate", "");
  FAILS(webnn_lm_cache_load(model, path(files, "model.gguf"), &loaded, &error), WEBNN_DATA_ERROR,
        "safetensors", "header");
  webnn_lm_cache_release(cache);
  webnn_lm_cache_release(fork);
  webnn_lm_cache_release(loaded);
  free(logits);
  free(again);
  free(other);
}

/* Blocks of 8 bits have about the same logits. */
static void test_int8_cache(webnn_context* context, const webnn_lm_model* model) {
  webnn_lm_load_options load = WEBNN_LM_LOAD_OPTIONS_INIT;
  const webnn_lm_token tokens[] = {10, 20, 30, 40};
  webnn_lm_model* other;
  webnn_lm_cache *cache, *fork;
  float logits[512], exact[512], largest = 0, worst = 0;
  int i;
  OK(webnn_lm_cache_create(model, &cache, &error));
  OK(webnn_lm_evaluate(model, cache, tokens, 4, 1, exact, 512, NULL, &error));
  webnn_lm_cache_release(cache);
  load.cache_type = WEBNN_INT8, load.release_rows = 1;
  OK(webnn_lm_load(context, path(files, "model.gguf"), &load, &other, &error));
  OK(webnn_lm_cache_create(other, &cache, &error));
  OK(webnn_lm_evaluate(other, cache, tokens, 3, 1, logits, 512, NULL, &error));
  OK(webnn_lm_cache_fork(cache, &fork, &error));
  OK(webnn_lm_evaluate(other, fork, tokens + 3, 1, 1, logits, 512, NULL, &error));
  CHECK(webnn_lm_cache_size(fork) == 4 && webnn_lm_cache_size(cache) == 3);
  for (i = 0; i < 512; ++i) {
    largest = fmaxf(largest, fabsf(exact[i]));
    worst = fmaxf(worst, fabsf(exact[i] - logits[i]));
  }
  CHECK(worst > 0 && worst < 0.05f * largest);
  webnn_lm_cache_release(fork);
  webnn_lm_cache_release(cache);
  webnn_lm_model_release(other);
}

/* Texts that have to be lists of digits; their tokens have probabilities. */
static void test_constrained(const webnn_lm_model* model) {
  webnn_lm_generate_options o = of(24);
  webnn_lm_generation* generation;
  webnn_lm_token_probability chosen, best[3];
  webnn_text* piece;
  webnn_lm_token tokens[64];
  struct text text = {{0}, 0, 0, 0};
  size_t i, k, count, number;
  o.ignore_end = 0;
  o.grammar = str("root ::= \"ab\" (\",\" \"ab\"){3}");
  OK(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error));
  CHECK(text.length == 11 && memcmp(text.data, "ab,ab,ab,ab", 11) == 0);
  o.grammar = str("");
  o.json_schema = str("{\"enum\": [true]}");
  text.length = 0;
  OK(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error));
  CHECK(text.length == 4 && memcmp(text.data, "true", 4) == 0);
  o.grammar = str("root ::= \"a\"");
  FAILS(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error),
        WEBNN_TYPE_ERROR, "grammar", "a grammar and a JSON schema exclude each other");
  o.json_schema = str("");
  o.grammar = str("root ::= x");
  FAILS(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error),
        WEBNN_TYPE_ERROR, "grammar", "line 1");
  o.grammar = str("");
  o.json_schema = str("{\"not\": {}}");
  FAILS(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error),
        WEBNN_NOT_SUPPORTED_ERROR, "grammar", "not");
  o.max_tokens = 200, o.temperature = 2;
  o.json_schema =
      str("{\"properties\": {\"age\": {\"type\": \"integer\", \"minimum\": 0, "
          "\"maximum\": 150}}, \"required\": [\"age\"]}");
  for (o.seed = 0; o.seed < 5; ++o.seed) {
    int age = -1, end = 0;
    text.length = 0;
    OK(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error));
    CHECK(text.length < sizeof text.data);
    text.data[text.length] = 0;
    CHECK(sscanf(text.data, " { \"age\" : %d }%n", &age, &end) == 1);
    CHECK(age >= 0 && age <= 150 && (size_t)end == text.length);
  }

  o = of(5);
  o.log_probabilities = 3;
  OK(webnn_lm_generation_create(model, NULL, str("w300 w301"), &o, &generation, &error));
  do {
    OK(webnn_lm_generation_next(generation, &piece, &error));
    webnn_text_release(piece);
  } while (piece);
  OK(webnn_lm_generation_tokens(generation, tokens, 64, &count, &error));
  CHECK(count == 5);
  for (i = 0; i < count; ++i) {
    OK(webnn_lm_generation_sample(generation, i, &chosen, best, 2, &number, &error));
    CHECK(chosen.token == tokens[i] && number == 3);
    CHECK(best[0].token == chosen.token && best[0].log_probability == chosen.log_probability);
    for (k = 0; k < 2; ++k) CHECK(best[k].log_probability < 0);
    CHECK(best[1].log_probability <= best[0].log_probability);
  }
  FAILS(webnn_lm_generation_sample(generation, 5, &chosen, NULL, 0, NULL, &error), WEBNN_TYPE_ERROR,
        "sample", "index (5) is not below the number (5) of tokens");
  webnn_lm_generation_release(generation);
}

static void test_batch(const webnn_lm_model* model) {
  webnn_lm_generate_options o = of(24);
  webnn_lm_report report = WEBNN_LM_REPORT_INIT;
  webnn_lm_batch* batch;
  webnn_lm_cache* cache;
  webnn_lm_token tokens[64];
  webnn_lm_token_probability chosen, best[2];
  webnn_lm_tokenizer* tokenizer;
  webnn_text* piece;
  size_t i, sequence, count, size, running, waiting, pieces[4] = {0, 0, 0, 0};
  struct text texts[4];
  memset(texts, 0, sizeof texts);
  OK(webnn_lm_batch_create(model, 2, &batch, &error));
  o.log_probabilities = 2;
  OK(webnn_lm_batch_add(batch, str("w300 w301"), &o, &sequence, &error));
  CHECK(sequence == 0);
  o.log_probabilities = 0;
  OK(webnn_lm_batch_add(batch, str("w7"), &o, &sequence, &error));
  OK(webnn_lm_model_tokenizer(model, &tokenizer, &error));
  OK(webnn_lm_tokenizer_encode(tokenizer, str("w300 w301"), NULL, tokens, 64, &count, &error));
  OK(webnn_lm_cache_create(model, &cache, &error));
  {
    float logits[512];
    OK(webnn_lm_evaluate(model, cache, tokens, count, 1, logits, 512, NULL, &error));
  }
  OK(webnn_lm_batch_add_tokens(batch, cache, tokens, count, &o, &sequence, &error));
  CHECK(sequence == 2);
  OK(webnn_lm_batch_add_tokens(batch, NULL, tokens, count, &o, &sequence, &error));
  OK(webnn_lm_batch_cancel(batch, 3, &error));
  OK(webnn_lm_batch_count(batch, &size, &running, &waiting, &error));
  CHECK(size == 4 && running == 0 && waiting == 4);
  for (;;) {
    OK(webnn_lm_batch_next(batch, NULL, &sequence, &piece, &error));
    if (!piece) break;
    CHECK(sequence < 4);
    ++pieces[sequence];
    append(webnn_text_string(piece).data, webnn_text_string(piece).length, &texts[sequence]);
    webnn_text_release(piece);
  }
  CHECK(pieces[0] > 5 && pieces[1] > 5 && pieces[3] == 0);
  check_text(&texts[0], "greedy.txt");
  check_text(&texts[2], "greedy.txt");
  for (i = 0; i < 4; ++i) {
    OK(webnn_lm_batch_text(batch, i, &piece, &error));
    CHECK(webnn_text_string(piece).length == texts[i].length);
    webnn_text_release(piece);
    OK(webnn_lm_batch_report(batch, i, &report, &error));
    CHECK(report.finish_reason == (i == 3 ? WEBNN_LM_CANCELED : WEBNN_LM_LENGTH));
  }
  OK(webnn_lm_batch_report(batch, 2, &report, &error));
  CHECK(report.cached_tokens == report.prompt_tokens - 1);
  CHECK(webnn_lm_cache_size(cache) == report.prompt_tokens); /* a fork of it was used */
  OK(webnn_lm_batch_tokens(batch, 0, tokens, 64, &count, &error));
  CHECK(count == 24);
  OK(webnn_lm_batch_sample(batch, 0, 23, &chosen, best, 2, &count, &error));
  CHECK(count == 2 && chosen.token == tokens[23] && best[0].token == tokens[23]);
  FAILS(webnn_lm_batch_sample(batch, 1, 0, &chosen, NULL, 0, NULL, &error), WEBNN_TYPE_ERROR,
        "sample", "index (0) is not below the number (0)");
  OK(webnn_lm_batch_forget(batch, 0, &error));
  OK(webnn_lm_batch_text(batch, 0, &piece, &error));
  CHECK(webnn_text_string(piece).length == 0);
  webnn_text_release(piece);
  FAILS(webnn_lm_batch_text(batch, 9, &piece, &error), WEBNN_TYPE_ERROR, "batch",
        "there is no sequence 9");
  OK(webnn_lm_batch_add(batch, str("w7"), &o, &sequence, &error));
  {
    webnn_stop* stop = webnn_stop_create();
    webnn_stop_request(stop);
    FAILS(webnn_lm_batch_next(batch, stop, &sequence, &piece, &error), WEBNN_ABORT_ERROR,
          "dispatch", "");
    webnn_stop_release(stop);
  }
  OK(webnn_lm_batch_next(batch, NULL, &sequence, &piece, &error)); /* it can be tried again */
  CHECK(piece != NULL && sequence == 4);
  webnn_text_release(piece);
  CHECK(webnn_lm_batch_retain(batch) == batch);
  webnn_lm_batch_release(batch);
  webnn_lm_batch_release(batch);
  FAILS(webnn_lm_batch_create(model, 0, &batch, &error), WEBNN_TYPE_ERROR, "batch",
        "sequences (0) is not 1 to 1024");
  webnn_lm_cache_release(cache);
  webnn_lm_tokenizer_release(tokenizer);
}

static void test_chat(const webnn_lm_model* model) {
  webnn_lm_message messages[] = {{{"system", 6}, {"w310", 4}, {NULL, 0}}};
  webnn_lm_generate_options o = of(8);
  webnn_lm_chat_options options = WEBNN_LM_CHAT_OPTIONS_INIT;
  webnn_lm_chat* chat;
  webnn_lm_generation* generation;
  webnn_text *json, *piece;
  webnn_lm_report report = WEBNN_LM_REPORT_INIT;
  struct text text = {{0}, 0, 0, 0};
  OK(webnn_lm_chat_create(model, messages, 1, NULL, &chat, &error));
  OK(webnn_lm_chat_send(chat, str("w300"), &o, append, &text, NULL, &error));
  append("\n", 1, &text);
  OK(webnn_lm_chat_send(chat, str("w301"), &o, append, &text, &report, &error));
  check_text(&text, "chat.txt");
  CHECK(report.cached_tokens > 0);
  OK(webnn_lm_chat_messages(chat, &json, &error));
  CHECK(contains(webnn_text_string(json), "\"assistant\"") &&
        contains(webnn_text_string(json), "w310"));
  webnn_text_release(json);
  OK(webnn_lm_chat_generation(chat, str("w302"), &o, &generation, &error));
  OK(webnn_lm_generation_next(generation, &piece, &error));
  webnn_text_release(piece);
  webnn_lm_generation_release(generation);
  {
    size_t forgotten = 1, turns = 0;
    OK(webnn_lm_chat_forgotten(chat, &forgotten, &error));
    CHECK(forgotten == 0);
    for (; forgotten == 0 && turns < 200; ++turns) {
      OK(webnn_lm_chat_send(chat, str("w302"), &o, append, &text, NULL, &error));
      OK(webnn_lm_chat_forgotten(chat, &forgotten, &error));
    }
    CHECK(forgotten > 0);
    FAILS(webnn_lm_chat_forgotten(chat, NULL, &error), WEBNN_TYPE_ERROR, "forgotten", "count");
  }
  webnn_lm_chat_release(chat);

  messages[0].role = str("bad");
  OK(webnn_lm_chat_create(model, messages, 1, NULL, &chat, &error));
  FAILS(webnn_lm_chat_send(chat, str("w300"), &o, append, &text, NULL, &error), WEBNN_TYPE_ERROR,
        "chat_template", "no bad roles");
  webnn_lm_chat_release(chat);
  options.tools = str("[{\"name\": \"w5\"}]");
  messages[0].role = str("user");
  {
    webnn_lm_tokenizer* tokenizer;
    OK(webnn_lm_model_tokenizer(model, &tokenizer, &error));
    OK(webnn_lm_apply_chat_template(tokenizer, messages, 1, &options, &json, &error));
    CHECK(equal(webnn_text_string(json), "w5 user w310 "));
    webnn_text_release(json);
    CHECK(contains(webnn_lm_tokenizer_chat_template(tokenizer), "for m in messages"));
    webnn_lm_tokenizer_release(tokenizer);
  }
}

static void test_tokenizer(void) {
  webnn_lm_tokenizer* tokenizer;
  webnn_lm_token_stream* stream;
  webnn_lm_token tokens[8];
  const webnn_lm_token euro[] = {3 + 0xe2, 3 + 0x82, 3 + 0xac};
  webnn_text* text;
  size_t count, i;
  OK(webnn_lm_tokenizer_open(path(files, "model.gguf"), &tokenizer, &error));
  CHECK(webnn_lm_tokenizer_size(tokenizer) == 512);
  CHECK(webnn_lm_tokenizer_bos(tokenizer) == 1 && webnn_lm_tokenizer_eos(tokenizer) == 2);
  CHECK(webnn_lm_tokenizer_unk(tokenizer) == 0 && webnn_lm_tokenizer_pad(tokenizer) == -1);
  CHECK(webnn_lm_tokenizer_is_special(tokenizer, 1) == 1);
  CHECK(equal(webnn_lm_tokenizer_text_of(tokenizer, 1), "<s>"));
  CHECK(webnn_lm_tokenizer_text_of(tokenizer, 512).length == 0);
  CHECK(webnn_lm_tokenizer_text_of(tokenizer, -1).length == 0);
  CHECK(webnn_lm_tokenizer_find(tokenizer, str("</s>")) == 2);
  CHECK(webnn_lm_tokenizer_find(tokenizer, str("none")) == -1);
  OK(webnn_lm_tokenizer_encode(tokenizer, str("w300"), NULL, NULL, 0, &count, &error));
  CHECK(count > 1 && count <= 8);
  OK(webnn_lm_tokenizer_encode(tokenizer, str("w300"), NULL, tokens, 8, &count, &error));
  OK(webnn_lm_tokenizer_decode(tokenizer, tokens, count, NULL, &text, &error));
  CHECK(contains(webnn_text_string(text), "w300"));
  webnn_text_release(text);
  OK(webnn_lm_token_stream_create(tokenizer, NULL, &stream, &error));
  for (i = 0; i < 3; ++i) {
    OK(webnn_lm_token_stream_put(stream, euro[i], &text, &error));
    CHECK(equal(webnn_text_string(text), i == 2 ? "\xe2\x82\xac" : ""));
    webnn_text_release(text);
  }
  OK(webnn_lm_token_stream_put(stream, euro[0], &text, &error));
  webnn_text_release(text);
  OK(webnn_lm_token_stream_finish(stream, &text, &error));
  CHECK(equal(webnn_text_string(text), "\xef\xbf\xbd"));
  webnn_text_release(text);
  FAILS(webnn_lm_token_stream_put(stream, 512, &text, &error), WEBNN_TYPE_ERROR, "decode", "512");
  webnn_lm_token_stream_release(stream);
  webnn_lm_tokenizer_release(tokenizer);
}

static void test_sampler(void) {
  webnn_lm_sampling_options o = WEBNN_LM_SAMPLING_OPTIONS_INIT;
  const float logits[] = {1, 3, 2};
  const uint8_t allowed[] = {1, 0, 1};
  webnn_lm_token_probability chosen, best[2];
  webnn_lm_sampler* sampler;
  o.log_probabilities = 2;
  OK(webnn_lm_sampler_create(&o, &sampler, &error));
  OK(webnn_lm_sampler_sample(sampler, logits, 3, NULL, 0, NULL, &chosen, best, &error));
  CHECK(chosen.token == 1 && best[0].token == 1 && best[1].token == 2);
  CHECK(chosen.log_probability == best[0].log_probability && chosen.log_probability < 0);
  OK(webnn_lm_sampler_sample(sampler, logits, 3, NULL, 0, allowed, &chosen, NULL, &error));
  CHECK(chosen.token == 2);
  webnn_lm_sampler_release(sampler);
  o.top_p = 2;
  FAILS(webnn_lm_sampler_create(&o, &sampler, &error), WEBNN_TYPE_ERROR, "sample", "topP");
  o.struct_size = 0;
  FAILS(webnn_lm_sampler_create(&o, &sampler, &error), WEBNN_TYPE_ERROR, "sampler", "struct_size");
}

static void test_template(void) {
  webnn_lm_chat_template* chat_template;
  const webnn_lm_message message = {{"user", 4}, {"\xc3\xa9", 2}, {"{\"name\": \"n\"}", 13}};
  webnn_text* text;
  OK(webnn_lm_chat_template_create(str("{{ messages[0].name + messages[0].content }}"),
                                   &chat_template, &error));
  OK(webnn_lm_chat_template_apply(chat_template, &message, 1, NULL, &text, &error));
  CHECK(equal(webnn_text_string(text), "n\xc3\xa9"));
  webnn_text_release(text);
  webnn_lm_chat_template_release(chat_template);
  FAILS(webnn_lm_chat_template_create(str("{% if"), &chat_template, &error), WEBNN_DATA_ERROR,
        "chat_template", "");
}

static void test_vectors(webnn_context* context) {
  const webnn_string texts[] = {{"w300 w301", 9}, {"w7", 2}};
  webnn_lm_model* model;
  webnn_lm_cache* cache;
  float vectors[128];
  int i;
  size_t size;
  char* expected = contents("embeddings.f32", &size);
  OK(webnn_lm_load(context, path(files, "embeddings.gguf"), NULL, &model, &error));
  CHECK(webnn_lm_model_width(model) == 64 && size == sizeof vectors);
  OK(webnn_lm_embed(model, texts, 2, vectors, 128, &error));
  if (!other_processor) CHECK(memcmp(vectors, expected, size) == 0);
  for (i = 0; i < 128; ++i) CHECK(fabsf(vectors[i] - ((float*)expected)[i]) <= 1e-5f);
  FAILS(webnn_lm_embed(model, texts, 2, vectors, 64, &error), WEBNN_TYPE_ERROR, "embed",
        "vectors has room for 64 numbers, not for 128");
  FAILS(webnn_lm_cache_create(model, &cache, &error), WEBNN_INVALID_STATE_ERROR, "cache", "bert");
  webnn_lm_model_release(model);
  free(expected);
}

static void test_errors(webnn_context* context, const webnn_lm_model* model) {
  webnn_lm_load_options load = WEBNN_LM_LOAD_OPTIONS_INIT;
  webnn_lm_generate_options o = of(4);
  webnn_lm_model* other;
  struct text text = {{0}, 0, 0, 0};
  char* prompt = calloc(1, 4000);
  int i;
  FAILS(webnn_lm_load(context, path(files, "none.gguf"), NULL, &other, &error), WEBNN_DATA_ERROR,
        "gguf", "none.gguf");
  FAILS(webnn_lm_load(NULL, path(files, "model.gguf"), NULL, &other, &error), WEBNN_TYPE_ERROR,
        "load", "context is null");
  load.cache_type = WEBNN_INT32;
  FAILS(webnn_lm_load(context, path(files, "model.gguf"), &load, &other, &error), WEBNN_TYPE_ERROR,
        "lm", "cacheType (int32) is not float16, bfloat16, float32 or int8");
  load.cache_type = 77;
  FAILS(webnn_lm_load(context, path(files, "model.gguf"), &load, &other, &error), WEBNN_TYPE_ERROR,
        "load", "cache_type (77)");
  for (i = 0; i < 300; ++i) strcat(prompt, " w300");
  FAILS(webnn_lm_generate(model, NULL, str(prompt), &o, append, &text, NULL, &error),
        WEBNN_TYPE_ERROR, "generate", "the cache has room for 256");
  FAILS(webnn_lm_generate(model, NULL, str("w300"), &o, NULL, NULL, NULL, &error), WEBNN_TYPE_ERROR,
        "generate", "piece is null");
  o.stop_length = 1;
  FAILS(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error),
        WEBNN_TYPE_ERROR, "generate", "stop is null, but its length is 1");
  free(prompt);
}

struct shared {
  const webnn_lm_model* model;
  webnn_lm_generation* generation;
  webnn_lm_cache* cache;
  size_t pieces;
};
/* Takes pieces of the shared text until its end, and uses a cache that others use. */
static void* use(void* data) {
  struct shared* s = data;
  webnn_error* failure = NULL;
  const webnn_lm_token token = 40;
  float logits[512];
  size_t pieces = 0;
  for (;;) {
    webnn_text* piece = NULL;
    if (webnn_lm_generation_next(s->generation, &piece, &failure) != WEBNN_OK) exit(2);
    if (!piece) break;
    ++pieces;
    webnn_text_release(piece);
    if (webnn_lm_evaluate(s->model, s->cache, &token, 1, 1, logits, 512, NULL, &failure) !=
        WEBNN_OK)
      exit(3);
  }
  return (void*)(pieces + 1);
}
static void test_threads(const webnn_lm_model* model) {
  struct shared s = {model, NULL, NULL, 0};
  webnn_lm_generate_options o = of(40);
  pthread_t threads[3];
  struct text text = {{0}, 0, 0, 0};
  size_t i, pieces = 0;
  OK(webnn_lm_cache_create(model, &s.cache, &error));
  OK(webnn_lm_generate(model, NULL, str("w300"), &o, append, &text, NULL, &error));
  OK(webnn_lm_generation_create(model, NULL, str("w300"), &o, &s.generation, &error));
  for (i = 0; i < 3; ++i) CHECK(pthread_create(&threads[i], NULL, use, &s) == 0);
  for (i = 0; i < 3; ++i) {
    void* result;
    CHECK(pthread_join(threads[i], &result) == 0);
    pieces += (size_t)result - 1;
  }
  CHECK(pieces == text.pieces); /* each piece once */
  CHECK(webnn_lm_cache_size(s.cache) == pieces);
  webnn_lm_generation_release(s.generation);
  webnn_lm_cache_release(s.cache);
}

int main(int argc, char** argv) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context;
  webnn_lm_model* model;
  webnn_graph* graph;
  webnn_text* json;
  webnn_lm_generate_options defaults = WEBNN_LM_GENERATE_OPTIONS_INIT;
  webnn_lm_token end[4];
  size_t count;
  CHECK(argc == 3 || argc == 4);
  files = argv[1], folder = argv[2], other_processor = argc == 4;
  OK(webnn_context_create(&options, &context, &error));
#ifndef WEBNN_WITH_LM
  FAILS(webnn_lm_load(context, path(files, "model.gguf"), NULL, &model, &error),
        WEBNN_NOT_SUPPORTED_ERROR, "lm", "no language models");
  (void)test_texts, (void)test_generation, (void)test_caches, (void)test_chat, (void)test_tokenizer;
  (void)test_sampler, (void)test_template, (void)test_vectors, (void)test_errors;
  (void)test_int8_cache, (void)test_constrained, (void)test_batch;
  (void)test_threads, (void)graph, (void)json, (void)defaults, (void)end, (void)count;
#else
  OK(webnn_lm_load(context, path(files, "model.gguf"), NULL, &model, &error));
  OK(webnn_lm_model_info(model, &json, &error));
  CHECK(contains(webnn_text_string(json), "\"architecture\":\"llama\""));
  webnn_text_release(json);
  OK(webnn_lm_model_graph(model, &graph, &error));
  CHECK(webnn_graph_is_open(graph) == 1);
  webnn_graph_release(graph);
  OK(webnn_lm_model_end_tokens(model, end, 4, &count, &error));
  CHECK(count == 1 && end[0] == 2);
  defaults.top_k = 9;
  OK(webnn_lm_model_defaults(model, &defaults, &error));
  CHECK(defaults.top_k == 0 && defaults.max_tokens == 256);
  test_texts(model);
  test_generation(model);
  test_caches(model);
  test_int8_cache(context, model);
  test_constrained(model);
  test_batch(model);
  test_chat(model);
  test_tokenizer();
  test_sampler();
  test_template();
  test_vectors(context);
  test_errors(context, model);
  test_threads(model);
  webnn_lm_model_release(model);
#endif
  webnn_context_release(context);
  return 0;
}
