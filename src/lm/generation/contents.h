// All of a model, and of a cache. Private.
#pragma once

#include <mutex>

#include "src/lm/grammar/constraint.h"
#include "src/lm/model/hyperparameters.h"
#include "webnn/lm/model.h"

namespace webnn::inline v0_1::lm {

/// One sequence: the states of the graph, and the tokens whose keys and values they have.
struct Sequence {
  std::vector<MLTensor> states{};  // in the order of ModelContents::states
  std::vector<Token> tokens{};
  std::uint32_t released = 0;  ///< first rows of states with a window, which are gone
};

struct ModelContents {
  struct StateNames {
    std::string input, output;
    Dims shape;                ///< when it is empty
    std::uint32_t window = 0;  ///< rows that a token sees; 0: all
  };

  MLContext context;
  MLGraph graph{};
  Hyperparameters h{};
  ModelInfo info{};
  LoadOptions options{};
  std::optional<Tokenizer> tokenizer{};
  std::vector<Token> end_tokens{};
  GenerateOptions defaults{};
  std::vector<StateNames> states{};
  std::vector<double> frequencies{}, local_frequencies{};  // of rotation, by pair
  std::uint64_t fingerprint = 0;                           // of the weights
  // Which inputs the graph has.
  bool has_positions = false, has_rotary = false, has_local_rotary = false, has_mask = false,
       has_local_mask = false;
  bool joins = true;           // the graph takes several sequences
  bool last_row_only = false;  // a run has the logits of its last token, whatever rows it asks for
  bool rows_differ = false;    // a row that is computed alone may have other last bits

  Constraints constraints{};

  // What the last call of generate() without a cache has left.
  std::mutex mutex{};
  std::optional<Sequence> spare{};

  explicit ModelContents(MLContext of) : context(std::move(of)) {}

  bool generates() const { return info.capacity > 0; }
  void require_generation(std::string_view method) const {
    if (!generates())
      raise({"the architecture " + info.architecture + " makes embeddings, not text",
             ErrorName::InvalidStateError},
            method, h.label);
  }
};

struct CacheState {
  std::shared_ptr<ModelContents> model;
  Sequence sequence{};
  bool is_spare = false;
  std::uint64_t changes = 0;

  explicit CacheState(std::shared_ptr<ModelContents> of) : model(std::move(of)) {}
  CacheState(const CacheState&) = delete;
  CacheState& operator=(const CacheState&) = delete;
  ~CacheState();

  std::uint32_t size() const { return static_cast<std::uint32_t>(sequence.tokens.size()); }
  void trim(std::uint32_t size);
  /// Whether the tokens behind the first `size` see only rows that are there.
  bool can_trim(std::uint32_t size) const;
  /// Gives back rows that no token to come sees, if the options say so.
  void release_rows();
  std::shared_ptr<CacheState> fork() const;
  void save(const Path& path) const;
  void load(const Path& path);
  /// How many of the tokens the sequence begins with.
  std::uint32_t common_prefix(std::span<const Token> tokens) const;
};

/// An empty one.
std::shared_ptr<CacheState> make_cache(const std::shared_ptr<ModelContents>& model);

/// Model::evaluate(). The results have room for rows * vocabulary.
void evaluate(CacheState& cache, std::span<const Token> tokens, std::span<float> results,
              std::uint32_t rows, const std::stop_token& stop);

/// Caches of one model for a step of all of them.
class JoinedCaches {
 public:
  /// They live longer, and are not empty.
  explicit JoinedCaches(std::vector<CacheState*> caches);

  std::span<CacheState* const> caches() const { return caches_; }
  /// Reads a token behind those of each cache, which has room for it. The results have room for
  /// caches * vocabulary. Throws NotSupportedError where the kernels cannot.
  void evaluate(std::span<const Token> tokens, std::span<float> results,
                const std::stop_token& stop);

 private:
  std::vector<CacheState*> caches_;
  std::vector<MLTensor> states_{};
};

/// The vector of a text, for a model without a cache.
std::vector<float> embedding_of(const ModelContents& model, std::span<const Token> tokens);

}  // namespace webnn::inline v0_1::lm
