/* Tokenizers, templates and sampling of language models: text to tokens and back, conversations as
 * text, and the choice of the next token. webnn/c/lm.h has the models. */
#ifndef WEBNN_C_LM_TEXT_H
#define WEBNN_C_LM_TEXT_H

#include "webnn/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The index of a token in the vocabulary; functions that return one have -1 for none. */
typedef int32_t webnn_lm_token;

/* Handles. Calls of several threads with the same stream or sampler wait for each other. */
typedef struct webnn_lm_tokenizer webnn_lm_tokenizer;
typedef struct webnn_lm_token_stream webnn_lm_token_stream; /* decodes tokens as they come */
typedef struct webnn_lm_chat_template webnn_lm_chat_template;
typedef struct webnn_lm_sampler webnn_lm_sampler;

/* Lists of tokens that a function makes are stored in memory of the caller: the first `capacity`
 * of them in `tokens`, which may be null if `capacity` is 0, and the number of all of them in
 * `count`. */

/* Tokenizers. */

typedef struct webnn_lm_encode_options {
  size_t struct_size;
  int32_t add_special;   /* adds the tokens that the model expects around a text: 1 */
  int32_t parse_special; /* special tokens that are written in the text are recognized: 1 */
} webnn_lm_encode_options;
#define WEBNN_LM_ENCODE_OPTIONS_INIT \
  { sizeof(webnn_lm_encode_options), 1, 1 }

typedef struct webnn_lm_decode_options {
  size_t struct_size;
  int32_t skip_special; /* special tokens have no text: 1 */
} webnn_lm_decode_options;
#define WEBNN_LM_DECODE_OPTIONS_INIT \
  { sizeof(webnn_lm_decode_options), 1 }

/* Reads a tokenizer.json, a folder that has it, or a .gguf file. WEBNN_DATA_ERROR: the file is
 * broken; WEBNN_NOT_SUPPORTED_ERROR names what is not supported. */
WEBNN_C_API webnn_status webnn_lm_tokenizer_open(webnn_string path, webnn_lm_tokenizer** tokenizer,
                                                 webnn_error** error);
/* Reads the texts of tokenizer.json and, if it is not empty, of tokenizer_config.json. */
WEBNN_C_API webnn_status webnn_lm_tokenizer_from_json(webnn_string json, webnn_string config,
                                                      webnn_lm_tokenizer** tokenizer,
                                                      webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_tokenizer* webnn_lm_tokenizer_retain(webnn_lm_tokenizer* tokenizer);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_tokenizer_release(webnn_lm_tokenizer* tokenizer);
/* Makes the tokens of a text. Bytes that are not UTF-8 become U+FFFD. `options` may be null. */
WEBNN_C_API webnn_status webnn_lm_tokenizer_encode(const webnn_lm_tokenizer* tokenizer,
                                                   webnn_string text,
                                                   const webnn_lm_encode_options* options,
                                                   webnn_lm_token* tokens, size_t capacity,
                                                   size_t* count, webnn_error** error);
/* Makes the text of tokens. Bytes that are not UTF-8 become U+FFFD. `options` may be null.
 * WEBNN_TYPE_ERROR: a token is not in the vocabulary. */
WEBNN_C_API webnn_status webnn_lm_tokenizer_decode(const webnn_lm_tokenizer* tokenizer,
                                                   const webnn_lm_token* tokens, size_t length,
                                                   const webnn_lm_decode_options* options,
                                                   webnn_text** text, webnn_error** error);
/* One more than the greatest token. */
WEBNN_C_API size_t webnn_lm_tokenizer_size(const webnn_lm_tokenizer* tokenizer);
/* The token as the file writes it; empty if the file has none. It belongs to the tokenizer. */
WEBNN_C_API webnn_string webnn_lm_tokenizer_text_of(const webnn_lm_tokenizer* tokenizer,
                                                    webnn_lm_token token);
/* The token whose text in the file is this one, or -1. */
WEBNN_C_API webnn_lm_token webnn_lm_tokenizer_find(const webnn_lm_tokenizer* tokenizer,
                                                   webnn_string text);
/* Whether a token has a role and no text: 1 or 0. */
WEBNN_C_API int32_t webnn_lm_tokenizer_is_special(const webnn_lm_tokenizer* tokenizer,
                                                  webnn_lm_token token);
/* The token that begins a text, or -1 if the file names none. */
WEBNN_C_API webnn_lm_token webnn_lm_tokenizer_bos(const webnn_lm_tokenizer* tokenizer);
/* The token that ends a text, or -1 if the file names none. */
WEBNN_C_API webnn_lm_token webnn_lm_tokenizer_eos(const webnn_lm_tokenizer* tokenizer);
/* The token for unknown text, or -1 if the file names none. */
WEBNN_C_API webnn_lm_token webnn_lm_tokenizer_unk(const webnn_lm_tokenizer* tokenizer);
/* The token for padding, or -1 if the file names none. */
WEBNN_C_API webnn_lm_token webnn_lm_tokenizer_pad(const webnn_lm_tokenizer* tokenizer);
/* The model's template for conversations; empty where the file has none. It belongs to the
 * tokenizer. */
WEBNN_C_API webnn_string webnn_lm_tokenizer_chat_template(const webnn_lm_tokenizer* tokenizer);

/* Makes a stream. All of its texts, one after the other, are the text of all tokens. A character
 * whose bytes are in several tokens comes as a whole. `options` may be null. */
WEBNN_C_API webnn_status webnn_lm_token_stream_create(const webnn_lm_tokenizer* tokenizer,
                                                      const webnn_lm_decode_options* options,
                                                      webnn_lm_token_stream** stream,
                                                      webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_token_stream* webnn_lm_token_stream_retain(webnn_lm_token_stream* stream);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_token_stream_release(webnn_lm_token_stream* stream);
/* The text that the token adds, which may be empty. */
WEBNN_C_API webnn_status webnn_lm_token_stream_put(webnn_lm_token_stream* stream,
                                                   webnn_lm_token token, webnn_text** text,
                                                   webnn_error** error);
/* The rest of the text at the end: U+FFFD for a character that is not complete. The stream then
 * begins again. */
WEBNN_C_API webnn_status webnn_lm_token_stream_finish(webnn_lm_token_stream* stream,
                                                      webnn_text** text, webnn_error** error);

/* Templates of conversations. */

typedef struct webnn_lm_message {
  webnn_string role;    /* "system", "user", "assistant", "tool" */
  webnn_string content; /* UTF-8 */
  webnn_string more;    /* a JSON object with further members, such as tool_calls; or empty */
} webnn_lm_message;

typedef struct webnn_lm_chat_options {
  size_t struct_size;
  int32_t add_generation_prompt; /* ends with the beginning of the assistant's answer: 1 */
  webnn_string tools;            /* a JSON list of the functions that the model may call */
  webnn_string variables;        /* a JSON object of further variables of the template */
  webnn_string bos_token;        /* its text; empty: the tokenizer's */
  webnn_string eos_token;
  const int64_t* time; /* the date that the template sees, in seconds since 1970; null: now */
  uint64_t max_steps;  /* the largest number of steps of the template: 20000000 */
  uint64_t max_bytes;  /* the largest number of bytes of the text: 67108864 */
} webnn_lm_chat_options;
#define WEBNN_LM_CHAT_OPTIONS_INIT                                                                \
  {                                                                                               \
    sizeof(webnn_lm_chat_options), 1, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, 20000000, \
        67108864                                                                                  \
  }

/* A template in Jinja, in the subset that the files of models use. WEBNN_DATA_ERROR: it is not a
 * template; WEBNN_NOT_SUPPORTED_ERROR: a part of Jinja beyond the subset. */
WEBNN_C_API webnn_status webnn_lm_chat_template_create(webnn_string text,
                                                       webnn_lm_chat_template** chat_template,
                                                       webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_chat_template* webnn_lm_chat_template_retain(
    webnn_lm_chat_template* chat_template);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_chat_template_release(webnn_lm_chat_template* chat_template);
/* Makes the text of a conversation. `options` may be null. WEBNN_TYPE_ERROR, with the template's
 * message: it refuses the messages; WEBNN_DATA_ERROR: the template is wrong; WEBNN_OPERATION_ERROR:
 * it exceeds a limit. */
WEBNN_C_API webnn_status webnn_lm_chat_template_apply(const webnn_lm_chat_template* chat_template,
                                                      const webnn_lm_message* messages,
                                                      size_t length,
                                                      const webnn_lm_chat_options* options,
                                                      webnn_text** text, webnn_error** error);
/* The same with the model's own template; encode the text without add_special.
 * WEBNN_INVALID_STATE_ERROR: there is none. */
WEBNN_C_API webnn_status webnn_lm_apply_chat_template(const webnn_lm_tokenizer* tokenizer,
                                                      const webnn_lm_message* messages,
                                                      size_t length,
                                                      const webnn_lm_chat_options* options,
                                                      webnn_text** text, webnn_error** error);

/* The choice of the next token. */

/* A number that is added to the logit of a token. */
typedef struct webnn_lm_bias {
  webnn_lm_token token;
  float value;
} webnn_lm_bias;

typedef struct webnn_lm_sampling_options {
  size_t struct_size;
  float temperature; /* logits are divided by it; 0: the most probable token is chosen */
  uint32_t top_k;    /* only this many of the most probable tokens are possible; 0: all */
  float top_p;       /* only the most probable tokens whose probabilities add up to it: 1 */
  float min_p;       /* only tokens at least this fraction as probable as the best one: 0 */
  /* Divides positive logits of earlier tokens, and multiplies others: 1. */
  float repetition_penalty;
  uint32_t repetition_window; /* the number of the latest tokens that are penalized: 64; 0: all */
  uint64_t seed;              /* the seed of the random numbers */
  const webnn_lm_bias* bias;
  size_t bias_length;
  uint32_t log_probabilities; /* how many of the most probable tokens are reported */
  /* Whether the logarithm of the token's probability is reported, which takes a while: 1. */
  int32_t log_probability;
} webnn_lm_sampling_options;
#define WEBNN_LM_SAMPLING_OPTIONS_INIT \
  { sizeof(webnn_lm_sampling_options), 0, 0, 1, 0, 1, 64, 0, NULL, 0, 0, 1 }

typedef struct webnn_lm_token_probability {
  webnn_lm_token token;
  float log_probability; /* the natural logarithm, from the logits as the model gives them */
} webnn_lm_token_probability;

/* `options` may be null. WEBNN_TYPE_ERROR: one is out of range. */
WEBNN_C_API webnn_status webnn_lm_sampler_create(const webnn_lm_sampling_options* options,
                                                 webnn_lm_sampler** sampler, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_lm_sampler* webnn_lm_sampler_retain(webnn_lm_sampler* sampler);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_lm_sampler_release(webnn_lm_sampler* sampler);
/* Chooses the next token. `before` are the tokens of the prompt and those that were chosen.
 * `allowed`, if not null, has a byte for each logit, which is 0 where the token is not possible.
 * `best`, which may be null, gets the most probable tokens, the best first, as many as
 * webnn_lm_sampling_options::log_probabilities, but not more than there are logits. */
WEBNN_C_API webnn_status webnn_lm_sampler_sample(webnn_lm_sampler* sampler, const float* logits,
                                                 size_t logits_length, const webnn_lm_token* before,
                                                 size_t before_length, const uint8_t* allowed,
                                                 webnn_lm_token_probability* chosen,
                                                 webnn_lm_token_probability* best,
                                                 webnn_error** error);

#ifdef __cplusplus
}
#endif

#endif
