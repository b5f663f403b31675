// The parts that the networks of language models are made of, as operators of a builder. Private.
#pragma once

#include "src/lm/model/hyperparameters.h"
#include "src/lm/network/constants.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::lm {

struct NetworkOptions {
  std::uint32_t capacity = 0;             ///< rows of a cache at most; 0: there is none
  MLOperandDataType cacheType = float16;  ///< float16, bfloat16, float32; int8 is in blocks
  int threads = 1;                        ///< for what is done to weights
};

/// Elements of a cache of int8 that have one scale.
inline constexpr std::uint32_t cache_block = 32;

/// A state of the graph, which grows along dimension 2.
struct NetworkState {
  std::string input{}, output{};
  MLOperandDataType type = float32;
  Dims row{};                ///< of each head
  std::uint32_t window = 0;  ///< rows that a token sees; 0: all
};

/// The inputs of a graph, by name. All are there that the architecture uses.
namespace inputs {
// So many new ones of each sequence, of which only one has more than one.
inline constexpr const char* tokens = "tokens";        // int32 [sequences, new]
inline constexpr const char* positions = "positions";  // int32 [tokens]: where they are learned
inline constexpr const char* rows = "rows";  // int32 [results]: for which tokens there are logits
inline constexpr const char *cos = "cos", *sin = "sin";  // float32 [tokens, 1, pairs]
inline constexpr const char *local_cos = "local cos", *local_sin = "local sin";
// float32 [sequences, 1, 1, new, past and new]: is added to the scores; -1e30 where a token is not
// seen.
inline constexpr const char *mask = "mask", *local_mask = "local mask";
std::string past_keys(std::uint32_t layer);  // [sequences, heads, past, size]
std::string past_values(std::uint32_t layer);
inline constexpr const char* scales = " scales";  // of the blocks of int8, behind these names
}  // namespace inputs
namespace outputs {
inline constexpr const char* logits = "logits";        // float32 [results, vocabulary]
inline constexpr const char* embedding = "embedding";  // float32 [width]
std::string keys(std::uint32_t layer);
std::string values(std::uint32_t layer);
}  // namespace outputs

/// Rows of tokens, [tokens, width], of one sequence after the other, through the layers. Tensors
/// have the names of .gguf files.
class Network {
 public:
  Network(MLGraphBuilder builder, const Hyperparameters& h, Weights& weights,
          const NetworkOptions& options);

  const Hyperparameters& hyperparameters() const { return h_; }
  MLGraphBuilder& builder() { return b_; }
  bool has(const std::string& name) const { return weights_.contains(name); }

  /// The rows of a table for the tokens, times the scale of embeddings.
  MLOperand embedding();
  /// The rows of a table of positions.
  MLOperand position_embedding(const std::string& table);
  /// The first row of a table, [width].
  MLOperand first_row(const std::string& table);
  /// x times the matrix name.weight, plus name.bias if there is one. Throws DataError if it has
  /// other than so many results, unless that is 0.
  MLOperand linear(const MLOperand& x, const std::string& name, std::uint32_t results = 0);
  /// Normalization of the last dimension.
  MLOperand rms_norm(const MLOperand& x, const std::string& name);
  MLOperand layer_norm(const MLOperand& x, const std::string& name);
  MLOperand activated(const MLOperand& x, std::string_view otherwise);
  /// x in that many parts of equal size along the last dimension, or in parts of these sizes.
  std::vector<MLOperand> parts(const MLOperand& x, const Dims& sizes);

  struct AttentionForm {
    bool rotary = true;       ///< queries and keys are rotated
    bool head_norms = false;  ///< rows of queries and keys are normalized, with weights for a head
    bool causal = true;  ///< tokens see those before them, of which a cache has keys and values
  };
  /// The attention of a layer: blk.N.attn_q, attn_k and attn_v, or attn_qkv, and attn_output.
  MLOperand attention(const MLOperand& x, std::uint32_t layer, const AttentionForm& form);
  /// down(activation(gate(x)) * up(x)); both halves of ffn_up where there is no ffn_gate.
  MLOperand gated(const MLOperand& x, std::uint32_t layer, std::string_view activation);
  /// down(activation(up(x)))
  MLOperand feed_forward(const MLOperand& x, std::uint32_t layer, std::string_view activation);

  /// The logits of the rows that the program asks for, from output.weight or the table of tokens.
  void finish_with_logits(const MLOperand& x);
  /// One vector from the rows.
  void finish_with_embedding(const MLOperand& x);

  static std::string name(std::uint32_t layer, std::string_view part);
  const NamedOperands& outputs() const { return outputs_; }
  const std::vector<NetworkState>& states() const { return states_; }
  const std::vector<WeightUse>& uses() const { return constants_.uses(); }
  std::uint32_t vocabulary() const { return vocabulary_; }

 private:
  struct Heads {
    MLOperand queries, keys, values;
  };
  MLOperand input(const char* name, const MLInputOperandDescriptor& d);
  MLOperand number(double x) { return b_.constant(float32, x); }
  /// Sizes that each run has: tokens, sequences, and tokens of each sequence.
  static constexpr std::uint32_t each_token = 0, each_sequence = 0xffff'ffff,
                                 each_new = 0xffff'fffe;
  MLOperand reshaped(const MLOperand& x, Dims shape);
  Heads projections(const MLOperand& x, std::uint32_t layer);
  MLOperand rotated(const MLOperand& x, bool local);
  MLOperand cached(const MLOperand& fresh, std::uint32_t layer, bool keys);
  MLOperand cached_in_blocks(const MLOperand& fresh, const std::string& input,
                             const std::string& output, std::uint32_t window);
  /// The state behind new rows.
  MLOperand grown(NetworkState state, const MLOperand& rows);
  MLOperand capped(const MLOperand& x, double cap);
  MLOperand mask(bool local);

  MLGraphBuilder b_;
  const Hyperparameters& h_;
  Weights& weights_;
  NetworkOptions options_;
  Constants constants_;
  MLOperand tokens_, count_, sequences_, new_;  // all tokens, and the sizes
  std::map<std::string, MLOperand, std::less<>> inputs_{};
  NamedOperands outputs_{};
  std::vector<NetworkState> states_{};
  std::uint32_t vocabulary_ = 0;
};

}  // namespace webnn::inline v0_1::lm
