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
  /// .onnx files have a type of their own.
  MLOperandDataType cacheType = float16;
  std::uint32_t batch = 512;  ///< tokens of a prompt that are computed at once, at most
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
  std::uint32_t capacity = 0;  ///< of a cache; 0: there is none
  std::uint64_t parameters = 0;
  std::uint64_t fingerprint = 0;  ///< of the weights, by which a cache knows its model
  std::vector<WeightReport> weights{};
};

/// A conversation. Its cache has what was said, so that a turn computes only what is new.
class Chat {
 public:
  /// The answer to a message of the user. When it ends, or when the next message is sent, its text
  /// is the message of the assistant. Where the conversation leaves less room in the cache than the
  /// answer may take, or than a quarter of it, the oldest messages are left out, but none of the
  /// system at its beginning. Throws TypeError where the template refuses the messages or the last
  /// one is too long for the cache.
  Generation send(std::string content, const GenerateOptions& options);
  Generation send(std::string content);  ///< with Model::defaults()
  /// What was said so far.
  std::vector<Message> messages() const;
  /// How many messages, of those behind the system's, the last answer was computed without.
  std::size_t forgotten() const;

 private:
  friend class Model;
  struct State;
  explicit Chat(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// A handle: copies are the same model. It may be used by several threads at once, each with a
/// cache of its own.
class Model {
 public:
  const ModelInfo& info() const;
  bool has_tokenizer() const;
  /// Throws InvalidStateError where the files have none.
  const Tokenizer& tokenizer() const;
  /// What generation_config.json says of sampling; else those of GenerateOptions.
  const GenerateOptions& defaults() const;
  std::span<const Token> end_tokens() const;  ///< that end a text
  /// One graph for prompts and steps, for MLGraph::explain() and memory().
  const MLGraph& graph() const;

  /// An empty cache. Throws InvalidStateError for a model that does not generate.
  Cache cache() const;
  /// Reads what Cache::save() wrote. Throws DataError for any other file, and for one of another
  /// model.
  Cache load_cache(const Path& path) const;

  /// Reads tokens after those of the cache, and returns the logits of the token that follows each
  /// of the last `rows` of them: rows * vocabulary numbers. Throws TypeError, and leaves the cache
  /// as it was, without tokens, for one beyond the vocabulary, for more rows than tokens, and for
  /// more tokens than the cache has room for.
  std::vector<float> evaluate(Cache& cache, std::span<const Token> tokens, std::uint32_t rows = 1,
                              std::stop_token stop = {}) const;

  /// Text that follows the prompt. Tokens that the cache has in common with the beginning of the
  /// prompt are not computed again; without a cache, the one of an earlier call is used if nothing
  /// else uses it. Throws TypeError for an empty prompt without a token before it, for one that is
  /// too long for the cache, and for wrong options; InvalidStateError without a tokenizer and for a
  /// model that does not generate.
  Generation generate(std::string_view prompt, const GenerateOptions& options) const;
  Generation generate(std::string_view prompt) const;  ///< with defaults()
  Generation generate(Cache cache, std::string_view prompt, const GenerateOptions& options) const;
  /// The same for a prompt of tokens.
  Generation generate(Cache cache, std::vector<Token> prompt, const GenerateOptions& options) const;

  /// Prompts whose texts are generated together, and which may come while it runs. Throws TypeError
  /// for options out of range, and InvalidStateError for a model that does not generate.
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
  /// The vector of tokens, among them those that the model expects around a text.
  std::vector<float> embed(std::span<const Token> tokens) const;

 private:
  friend class Batch;
  friend Model load(const MLContext&, const Path&, const LoadOptions&);
  explicit Model(std::shared_ptr<ModelContents> contents) : contents_(std::move(contents)) {}
  Cache spare_cache() const;
  std::shared_ptr<ModelContents> contents_;
};

/// A .gguf file, or a folder of Hugging Face: config.json, .safetensors files, tokenizer.json,
/// tokenizer_config.json, generation_config.json. The architectures are llama (Llama, Mistral,
/// SmolLM, TinyLlama), qwen2, qwen3, gemma3 (text), phi3, gpt2 and bert. Weights of Q4_0, Q5_0,
/// Q8_0, Q6_K, Q4_1, Q5_1, Q4_K and Q5_K stay integers of 4 or 8 bits with scales; BF16 becomes
/// float16 if float16 can represent all elements of the tensor, otherwise float32. Or a folder of
/// ONNX Runtime GenAI, genai_config.json with an .onnx file, or of a decoder that Hugging Face
/// Optimum has written, config.json with model.onnx and no .safetensors file: of any architecture,
/// with growing caches. Throws DataError for a file that is broken, NotSupportedError, which names
/// it, for what no architecture has, and TypeError for wrong options.
Model load(const MLContext& context, const Path& path, const LoadOptions& options = {});

std::string to_text(const ModelInfo& info);

}  // namespace webnn::inline v0_1::lm
