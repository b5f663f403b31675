// A language model: from a file to text.
#pragma once

#include "webnn/graph_builder.h"
#include "webnn/lm/batch.h"
#include "webnn/lm/cache.h"
#include "webnn/lm/chat_template.h"
#include "webnn/lm/generation.h"
#include "webnn/lm/grammar.h"

namespace webnn::inline v0_1::lm {

struct ModelContents;

struct LoadOptions {
  /// The largest number of tokens in a cache, which is not above the context of the model. 0: the
  /// context, but at most 4096.
  std::uint32_t capacity = 0;
  /// The type of keys and values: float16; bfloat16, for values beyond 65504; float32; or int8 in
  /// blocks of 32 with a scale each, which takes 9 bits in place of 16 and rounds more. Models in
  /// .onnx files decide on the type themselves.
  MLOperandDataType cacheType = float16;
  /// The largest number of tokens of a prompt that are computed at once.
  std::uint32_t batch = 512;
  /// Whether layers with a window give back the memory of rows that no token sees any more, except
  /// for 256 of them, if the system can do so. A cache can then not be trimmed so far that it would
  /// need such a row, and a prompt that would need it is computed from its beginning.
  bool releaseRows = false;
};

/// Tensors of one type, and what they became.
struct WeightReport {
  std::string stored{};  ///< the type in the file: "Q4_K"
  std::string kept{};    ///< "uint4, scales and minima for blocks of 32"
  std::size_t tensors = 0;
  std::uint64_t storedBytes = 0, keptBytes = 0;
};
struct ModelInfo {
  std::string architecture{}, name{};
  std::uint32_t layers = 0, width = 0, heads = 0, keyHeads = 0, headSize = 0;
  std::uint32_t vocabulary = 0, contextLength = 0;
  /// The number of tokens that a cache can hold; 0: the model has no cache.
  std::uint32_t capacity = 0;
  std::uint64_t parameters = 0;
  /// A number for the weights, by which a cache recognizes its model.
  std::uint64_t fingerprint = 0;
  std::vector<WeightReport> weights{};
};

/// A conversation. Its cache holds what was said, so a turn computes only what is new.
class Chat {
 public:
  /// The answer to a message of the user. When the answer ends, or when the next message is sent,
  /// its text becomes a message of the assistant. If the conversation leaves less room in the cache
  /// than the answer may take (maxTokens, but at most a quarter of the cache), the oldest messages
  /// are left out until half of the cache is free, except those of the system at the beginning.
  /// Throws TypeError if the template refuses the messages or if the last one is too long for the
  /// cache.
  Generation send(std::string content, const GenerateOptions& options);
  Generation send(std::string content);  ///< with Model::defaults()
  /// The messages of the conversation so far.
  std::vector<Message> messages() const;
  /// The number of messages after those of the system that the last answer was computed without.
  std::size_t forgotten() const;

 private:
  friend class Model;
  struct State;
  explicit Chat(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// A handle: copies are the same model. Several threads may use it at once, each with its own
/// cache.
class Model {
 public:
  const ModelInfo& info() const;
  bool has_tokenizer() const;
  /// Throws InvalidStateError if the files have none.
  const Tokenizer& tokenizer() const;
  /// The options of sampling in generation_config.json; else the defaults of GenerateOptions.
  const GenerateOptions& defaults() const;
  std::span<const Token> end_tokens() const;  ///< the tokens that end a text
  /// The graph for prompts and steps, for MLGraph::explain() and memory().
  const MLGraph& graph() const;

  /// An empty cache. Throws InvalidStateError for a model that does not generate.
  Cache cache() const;
  /// Reads what Cache::save() wrote. Throws DataError for any other file, and for one of another
  /// model.
  Cache load_cache(const Path& path) const;

  /// Adds tokens to those of the cache, and returns the logits of the token that follows each of
  /// the last `rows` of them: rows * vocabulary numbers. Throws TypeError, and leaves the cache as
  /// it was, if there are no tokens, if one is beyond the vocabulary, if there are more rows than
  /// tokens, or if the cache does not have room for all tokens.
  std::vector<float> evaluate(Cache& cache, std::span<const Token> tokens, std::uint32_t rows = 1,
                              std::stop_token stop = {}) const;

  /// Generates the text that follows the prompt. Tokens that the cache has in common with the
  /// beginning of the prompt are not computed again; without a cache, the one of an earlier call is
  /// used if nothing else uses it. Throws TypeError for an empty prompt without a token before it,
  /// for one that is too long for the cache, and for wrong options; InvalidStateError without a
  /// tokenizer and for a model that does not generate.
  Generation generate(std::string_view prompt, const GenerateOptions& options) const;
  Generation generate(std::string_view prompt) const;  ///< with defaults()
  Generation generate(Cache cache, std::string_view prompt, const GenerateOptions& options) const;
  /// The same for a prompt of tokens.
  Generation generate(Cache cache, std::vector<Token> prompt, const GenerateOptions& options) const;

  /// A Batch for prompts whose texts are generated together; prompts may be added while it runs.
  /// Throws TypeError for options out of range, and InvalidStateError for a model that does not
  /// generate.
  Batch batch(const BatchOptions& options = {}) const;
  /// The texts of all prompts, in their order, each as Batch makes it.
  /// Throws what Batch::add() and Batch::next() throw.
  std::vector<GeneratedText> generate_all(const std::vector<std::string>& prompts,
                                          const GenerateOptions& options,
                                          const BatchOptions& batch = {}) const;

  /// A conversation that begins with these messages, usually one of the role "system". Throws
  /// InvalidStateError without a template.
  Chat chat(std::vector<Message> messages = {}, ChatOptions options = {}) const;

  /// A vector for each text, of length 1 if the model says so. Throws InvalidStateError for a model
  /// that generates, and TypeError for a text of more tokens than the context.
  std::vector<std::vector<float>> embed(const std::vector<std::string>& texts) const;
  /// The vector of tokens, which include those that the model expects around a text.
  std::vector<float> embed(std::span<const Token> tokens) const;

 private:
  friend class Batch;
  friend Model load(const MLContext&, const Path&, const LoadOptions&);
  explicit Model(std::shared_ptr<ModelContents> contents) : contents_(std::move(contents)) {}
  Cache spare_cache() const;
  std::shared_ptr<ModelContents> contents_;
};

/// Loads a .gguf file, or a folder of Hugging Face: config.json, .safetensors files,
/// tokenizer.json, tokenizer_config.json, generation_config.json. The architectures are llama
/// (Llama, Mistral, SmolLM, TinyLlama), qwen2, qwen3, gemma3 (text), phi3, gpt2 and bert. Weights
/// of Q4_0, Q5_0, Q8_0, Q6_K, Q4_1, Q5_1, Q4_K and Q5_K stay integers of 4 or 8 bits with scales;
/// F16 stays float16, and BF16 stays bfloat16. It also loads a folder of ONNX Runtime GenAI,
/// genai_config.json with an .onnx file, or of a decoder that Hugging Face Optimum has written,
/// config.json with model.onnx and no .safetensors file: these may have any architecture, and their
/// caches grow. Throws DataError for a file that is broken, NotSupportedError, which names the
/// feature, for a model with a feature that is not supported, and TypeError for wrong options.
Model load(const MLContext& context, const Path& path, const LoadOptions& options = {});

std::string to_text(const ModelInfo& info);

}  // namespace webnn::inline v0_1::lm
