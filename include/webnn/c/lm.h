/* Language models: from a file to text. In a build of the library without them, functions fail with
 * WEBNN_NOT_SUPPORTED_ERROR, or return 0 or null. */
#ifndef WEBNN_C_LM_H
#define WEBNN_C_LM_H

#include "webnn/c/graph.h"
#include "webnn/c/lm_text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles. Calls of several threads with the same generation or chat, or with objects that use the
 * same cache, wait for each other. */
typedef struct webnn_lm_model webnn_lm_model;
typedef struct webnn_lm_cache webnn_lm_cache;           /* the KV cache of one sequence */
typedef struct webnn_lm_generation webnn_lm_generation; /* text, piece by piece */
typedef struct webnn_lm_chat webnn_lm_chat;             /* a conversation */
typedef struct webnn_lm_batch webnn_lm_batch;           /* several texts at once */

/* Models. */

typedef struct webnn_lm_load_options {
  size_t struct_size;
  uint32_t capacity; /* the largest number of tokens in a cache; 0: the context, at most 4096 */
  /* The type of keys and values: WEBNN_FLOAT16, WEBNN_BFLOAT16, WEBNN_FLOAT32, or WEBNN_INT8 in
   * blocks with scales. */
  webnn_data_type cache_type;
  uint32_t batch; /* the largest number of tokens of a prompt that are computed at once: 512 */
  /* Whether layers with a window give back the memory of rows that no token sees any more: 0. */
  int32_t release_rows;
} webnn_lm_load_options;
#define WEBNN_LM_LOAD_OPTIONS_INIT \
  { sizeof(webnn_lm_load_options), 0, WEBNN_FLOAT16, 512, 0 }

/* Loads a .gguf file, or a folder of Hugging Face. `options` may be null. WEBNN_DATA_ERROR: a file
 * is broken; WEBNN_NOT_SUPPORTED_ERROR, which names the feature: the model has a feature that is
 * not supported. */
WEBNN_C_API webnn_status webnn_lm_load(webnn_context* context, webnn_string path,
                                       const webnn_lm_load_options* options, webnn_lm_model** model,
                                       webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_model* webnn_lm_model_retain(webnn_lm_model* model);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_model_release(webnn_lm_model* model);
/* A JSON object: "architecture", "name", "layers", "width", "heads", "keyHeads", "headSize",
 * "vocabulary", "contextLength", "capacity", "parameters", and "weights", a list of objects with
 * "stored", "kept", "tensors", "storedBytes" and "keptBytes". */
WEBNN_C_API webnn_status webnn_lm_model_info(const webnn_lm_model* model, webnn_text** json,
                                             webnn_error** error);
/* The number of elements of a vector of webnn_lm_embed(). */
WEBNN_C_API uint32_t webnn_lm_model_width(const webnn_lm_model* model);
/* The number of logits of a token. */
WEBNN_C_API uint32_t webnn_lm_model_vocabulary(const webnn_lm_model* model);
/* The model's tokenizer. WEBNN_INVALID_STATE_ERROR: its files have none. */
WEBNN_C_API webnn_status webnn_lm_model_tokenizer(const webnn_lm_model* model,
                                                  webnn_lm_tokenizer** tokenizer,
                                                  webnn_error** error);
/* The graph for prompts and steps. */
WEBNN_C_API webnn_status webnn_lm_model_graph(const webnn_lm_model* model, webnn_graph** graph,
                                              webnn_error** error);
/* Makes the list of the tokens that end a text. */
WEBNN_C_API webnn_status webnn_lm_model_end_tokens(const webnn_lm_model* model,
                                                   webnn_lm_token* tokens, size_t capacity,
                                                   size_t* count, webnn_error** error);

/* Caches. */

/* Makes an empty cache. WEBNN_INVALID_STATE_ERROR: the model does not generate. */
WEBNN_C_API webnn_status webnn_lm_cache_create(const webnn_lm_model* model, webnn_lm_cache** cache,
                                               webnn_error** error);
/* Reads the file that webnn_lm_cache_save() wrote. WEBNN_DATA_ERROR: any other file, or the file of
 * another model. */
WEBNN_C_API webnn_status webnn_lm_cache_load(const webnn_lm_model* model, webnn_string path,
                                             webnn_lm_cache** cache, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_cache* webnn_lm_cache_retain(webnn_lm_cache* cache);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_cache_release(webnn_lm_cache* cache);
/* The number of tokens in the cache. */
WEBNN_C_API uint32_t webnn_lm_cache_size(webnn_lm_cache* cache);
/* The largest number of tokens that the cache can hold. */
WEBNN_C_API uint32_t webnn_lm_cache_capacity(webnn_lm_cache* cache);
/* Makes the list of its tokens. */
WEBNN_C_API webnn_status webnn_lm_cache_tokens(webnn_lm_cache* cache, webnn_lm_token* tokens,
                                               size_t capacity, size_t* count, webnn_error** error);
/* Keeps the first `size` tokens. WEBNN_TYPE_ERROR: there are fewer. */
WEBNN_C_API webnn_status webnn_lm_cache_trim(webnn_lm_cache* cache, uint32_t size,
                                             webnn_error** error);
/* Makes another cache with the same tokens. */
WEBNN_C_API webnn_status webnn_lm_cache_fork(webnn_lm_cache* cache, webnn_lm_cache** fork,
                                             webnn_error** error);
/* Writes the tokens with their keys and values. */
WEBNN_C_API webnn_status webnn_lm_cache_save(webnn_lm_cache* cache, webnn_string path,
                                             webnn_error** error);
/* Adds tokens to those of the cache, and stores the logits of the token that follows each of the
 * last `rows` of them: logits_length is rows times webnn_lm_model_vocabulary(). `stop`, if not
 * null, ends the call with WEBNN_ABORT_ERROR. WEBNN_TYPE_ERROR: there are no tokens, one is beyond
 * the vocabulary, there are more rows than tokens, or the cache does not have room for all tokens;
 * the cache stays as it was. */
WEBNN_C_API webnn_status webnn_lm_evaluate(const webnn_lm_model* model, webnn_lm_cache* cache,
                                           const webnn_lm_token* tokens, size_t length,
                                           uint32_t rows, float* logits, size_t logits_length,
                                           webnn_stop* stop, webnn_error** error);

/* Text. */

typedef struct webnn_lm_generate_options {
  size_t struct_size;
  uint32_t max_tokens; /* the largest number of tokens: 256; 0: as many as the cache has room for */
  /* As in webnn_lm_sampling_options. */
  float temperature;
  uint32_t top_k;
  float top_p;
  float min_p;
  float repetition_penalty;
  uint32_t repetition_window;
  uint64_t seed;
  const webnn_string* stop; /* texts that end the generated text; they are left out */
  size_t stop_length;
  const webnn_lm_token* stop_tokens; /* tokens that end the text, besides those of the model */
  size_t stop_tokens_length;
  int32_t ignore_end; /* continue after a token with which the model ends a text: 0 */
  const webnn_lm_bias* bias;
  size_t bias_length;
  webnn_stop* cancel; /* ends a run that is under way, with WEBNN_ABORT_ERROR */
  /* The form of the text: a grammar in the notation GBNF, or a JSON schema, not both; empty: any
   * text. / */
  webnn_string grammar;
  webnn_string json_schema;
  uint32_t log_probabilities; /* how many of the most probable tokens are reported: 0 */
} webnn_lm_generate_options;
#define WEBNN_LM_GENERATE_OPTIONS_INIT                                                          \
  {                                                                                             \
    sizeof(webnn_lm_generate_options), 256, 0, 0, 1, 0, 1, 64, 0, NULL, 0, NULL, 0, 0, NULL, 0, \
        NULL, {NULL, 0}, {NULL, 0}, 0                                                           \
  }
/* Sets the numbers of the options to those of generation_config.json, where the model has it.
 * `options` begins with its size, as WEBNN_LM_GENERATE_OPTIONS_INIT does. Functions that are given
 * null for options use these numbers. */
WEBNN_C_API webnn_status webnn_lm_model_defaults(const webnn_lm_model* model,
                                                 webnn_lm_generate_options* options,
                                                 webnn_error** error);

/* Why a text has ended. */
typedef int32_t webnn_lm_finish_reason;
enum {
  WEBNN_LM_NONE = 0,     /* it has not */
  WEBNN_LM_END = 1,      /* a token of the model ended it */
  WEBNN_LM_STOP = 2,     /* a text or token of the options ended it */
  WEBNN_LM_LENGTH = 3,   /* webnn_lm_generate_options::max_tokens */
  WEBNN_LM_CAPACITY = 4, /* the cache is full */
  WEBNN_LM_CANCELED = 5  /* it has left a batch */
};

typedef struct webnn_lm_report {
  size_t struct_size;
  uint64_t prompt_tokens; /* the number of tokens of the prompt ... */
  uint64_t cached_tokens; /* ... and how many of them were in the cache */
  uint64_t tokens;       /* the number of generated tokens, including the one that ended the text */
  double prompt_seconds; /* the time until the logits of the first token were computed */
  double seconds;        /* the time after that in which tokens were computed */
  double prompt_tokens_per_second; /* the speed for the tokens that were not in the cache */
  double tokens_per_second;        /* the speed for the tokens after the first one */
  webnn_lm_finish_reason finish_reason;
} webnn_lm_report;
#define WEBNN_LM_REPORT_INIT \
  { sizeof(webnn_lm_report), 0, 0, 0, 0, 0, 0, 0, WEBNN_LM_NONE }

/* Gets each piece of a text when it is computed: whole characters, not empty, without a zero at the
 * end. A number that is not 0 stops. */
typedef int32_t (*webnn_lm_piece)(const char* piece, size_t length, void* data);

/* Calls `piece` with the text that follows the prompt, until it ends or `piece` stops it, which is
 * not an error. What `cache` has in common with the beginning of the prompt is not computed again;
 * null: the cache of an earlier call is used, if no other call uses it. `piece` must not change the
 * cache. `options` and `report` may be null. WEBNN_TYPE_ERROR: the prompt has no tokens, or more
 * than the cache has room for, or an option is wrong; WEBNN_INVALID_STATE_ERROR: the model has no
 * tokenizer, or does not generate. */
WEBNN_C_API webnn_status webnn_lm_generate(const webnn_lm_model* model, webnn_lm_cache* cache,
                                           webnn_string prompt,
                                           const webnn_lm_generate_options* options,
                                           webnn_lm_piece piece, void* data,
                                           webnn_lm_report* report, webnn_error** error);

/* The same piece by piece: webnn_lm_generation_next() computes them. */
WEBNN_C_API webnn_status webnn_lm_generation_create(const webnn_lm_model* model,
                                                    webnn_lm_cache* cache, webnn_string prompt,
                                                    const webnn_lm_generate_options* options,
                                                    webnn_lm_generation** generation,
                                                    webnn_error** error);
/* The same for a prompt of tokens. */
WEBNN_C_API webnn_status webnn_lm_generation_create_tokens(
    const webnn_lm_model* model, webnn_lm_cache* cache, const webnn_lm_token* prompt, size_t length,
    const webnn_lm_generate_options* options, webnn_lm_generation** generation,
    webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_generation* webnn_lm_generation_retain(webnn_lm_generation* generation);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_generation_release(webnn_lm_generation* generation);
/* Stores the next piece, or null at the end. WEBNN_INVALID_STATE_ERROR: the cache was changed by
 * something else. */
WEBNN_C_API webnn_status webnn_lm_generation_next(webnn_lm_generation* generation,
                                                  webnn_text** piece, webnn_error** error);
/* Makes the list of the tokens that were generated so far. */
WEBNN_C_API webnn_status webnn_lm_generation_tokens(webnn_lm_generation* generation,
                                                    webnn_lm_token* tokens, size_t capacity,
                                                    size_t* count, webnn_error** error);
/* The log probability of the token that was generated after `index` others, where
 * webnn_lm_generate_options::log_probabilities is not 0. `best` gets the most probable tokens, the
 * best first: at most `capacity` of those that `count`, which may be null, says. WEBNN_TYPE_ERROR:
 * there are not so many, or none is reported. */
WEBNN_C_API webnn_status webnn_lm_generation_sample(webnn_lm_generation* generation, size_t index,
                                                    webnn_lm_token_probability* chosen,
                                                    webnn_lm_token_probability* best,
                                                    size_t capacity, size_t* count,
                                                    webnn_error** error);
/* `report` begins with its size, as WEBNN_LM_REPORT_INIT does. */
WEBNN_C_API webnn_status webnn_lm_generation_report(webnn_lm_generation* generation,
                                                    webnn_lm_report* report, webnn_error** error);

/* Several texts at once: a step computes the next token of all sequences, which takes little longer
 * than the next token of one. When a sequence ends, the next prompt that waits takes its place. Any
 * thread may add and cancel at any time; other calls of several threads wait for each other. */

/* At most `sequences` are computed at once; others wait. WEBNN_TYPE_ERROR: it is 0 or too large;
 * WEBNN_INVALID_STATE_ERROR: the model does not generate. */
WEBNN_C_API webnn_status webnn_lm_batch_create(const webnn_lm_model* model, uint32_t sequences,
                                               webnn_lm_batch** batch, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_batch* webnn_lm_batch_retain(webnn_lm_batch* batch);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_batch_release(webnn_lm_batch* batch);
/* Adds a prompt, which begins as soon as there is room. `sequence` gets its number: 0 for the first
 * one, and so on. `options` may be null. Fails as webnn_lm_generate() does. */
WEBNN_C_API webnn_status webnn_lm_batch_add(webnn_lm_batch* batch, webnn_string prompt,
                                            const webnn_lm_generate_options* options,
                                            size_t* sequence, webnn_error** error);
/* The same for a prompt of tokens. What a fork of `cache`, which may be null, has in common with
 * the beginning of the prompt is not computed again. */
WEBNN_C_API webnn_status webnn_lm_batch_add_tokens(webnn_lm_batch* batch, webnn_lm_cache* cache,
                                                   const webnn_lm_token* prompt, size_t length,
                                                   const webnn_lm_generate_options* options,
                                                   size_t* sequence, webnn_error** error);
/* Removes the sequence from the batch before the next step, with WEBNN_LM_CANCELED. */
WEBNN_C_API webnn_status webnn_lm_batch_cancel(webnn_lm_batch* batch, size_t sequence,
                                               webnn_error** error);
/* Stores the next piece of any sequence and its number, or null when all have ended. `stop`, if not
 * null, ends a step with WEBNN_ABORT_ERROR, which can be tried again. An error of one sequence ends
 * that one; the others go on. */
WEBNN_C_API webnn_status webnn_lm_batch_next(webnn_lm_batch* batch, webnn_stop* stop,
                                             size_t* sequence, webnn_text** piece,
                                             webnn_error** error);
/* Stores the numbers of prompts that were added, that have begun and not ended, and that have not
 * begun. Each pointer may be null. */
WEBNN_C_API webnn_status webnn_lm_batch_count(webnn_lm_batch* batch, size_t* size, size_t* running,
                                              size_t* waiting, webnn_error** error);
/* All pieces of a sequence so far. These fail with WEBNN_TYPE_ERROR for a number that no prompt
 * has. */
WEBNN_C_API webnn_status webnn_lm_batch_text(webnn_lm_batch* batch, size_t sequence,
                                             webnn_text** text, webnn_error** error);
/* Makes the list of its tokens. */
WEBNN_C_API webnn_status webnn_lm_batch_tokens(webnn_lm_batch* batch, size_t sequence,
                                               webnn_lm_token* tokens, size_t capacity,
                                               size_t* count, webnn_error** error);
/* As webnn_lm_generation_sample(). */
WEBNN_C_API webnn_status webnn_lm_batch_sample(webnn_lm_batch* batch, size_t sequence, size_t index,
                                               webnn_lm_token_probability* chosen,
                                               webnn_lm_token_probability* best, size_t capacity,
                                               size_t* count, webnn_error** error);
/* `report` begins with its size, as WEBNN_LM_REPORT_INIT does. */
WEBNN_C_API webnn_status webnn_lm_batch_report(webnn_lm_batch* batch, size_t sequence,
                                               webnn_lm_report* report, webnn_error** error);
/* Forgets the text and the tokens of a sequence that has ended. */
WEBNN_C_API webnn_status webnn_lm_batch_forget(webnn_lm_batch* batch, size_t sequence,
                                               webnn_error** error);

/* A conversation that begins with these messages; its cache holds what was said, so a turn computes
 * only what is new. `options` may be null. WEBNN_INVALID_STATE_ERROR: the model has no template. */
WEBNN_C_API webnn_status webnn_lm_chat_create(const webnn_lm_model* model,
                                              const webnn_lm_message* messages, size_t length,
                                              const webnn_lm_chat_options* options,
                                              webnn_lm_chat** chat, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_chat* webnn_lm_chat_retain(webnn_lm_chat* chat);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_chat_release(webnn_lm_chat* chat);
/* Calls `piece` with the answer to a message of the user, as webnn_lm_generate() does. */
WEBNN_C_API webnn_status webnn_lm_chat_send(webnn_lm_chat* chat, webnn_string content,
                                            const webnn_lm_generate_options* options,
                                            webnn_lm_piece piece, void* data,
                                            webnn_lm_report* report, webnn_error** error);
/* The answer piece by piece. When the answer ends, or when the next message is sent, its text
 * becomes a message of the assistant. */
WEBNN_C_API webnn_status webnn_lm_chat_generation(webnn_lm_chat* chat, webnn_string content,
                                                  const webnn_lm_generate_options* options,
                                                  webnn_lm_generation** generation,
                                                  webnn_error** error);
/* The messages of the conversation so far: a JSON list of objects with "role", "content", and the
 * members of webnn_lm_message::more. */
WEBNN_C_API webnn_status webnn_lm_chat_messages(webnn_lm_chat* chat, webnn_text** json,
                                                webnn_error** error);
/* The number of the oldest messages after those of the system that the last answer was computed
 * without, because the conversation is longer than the cache. */
WEBNN_C_API webnn_status webnn_lm_chat_forgotten(webnn_lm_chat* chat, size_t* count,
                                                 webnn_error** error);

/* Vectors of texts, one after the other, of length 1 if the model says so: vectors_length is length
 * times webnn_lm_model_width(). WEBNN_INVALID_STATE_ERROR: the model generates text;
 * WEBNN_TYPE_ERROR: a text has more tokens than the context. */
WEBNN_C_API webnn_status webnn_lm_embed(const webnn_lm_model* model, const webnn_string* texts,
                                        size_t length, float* vectors, size_t vectors_length,
                                        webnn_error** error);
/* The vector of tokens, which include those that the model expects around a text. */
WEBNN_C_API webnn_status webnn_lm_embed_tokens(const webnn_lm_model* model,
                                               const webnn_lm_token* tokens, size_t length,
                                               float* vector, size_t vector_length,
                                               webnn_error** error);

#ifdef __cplusplus
}
#endif

#endif
