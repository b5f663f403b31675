// What a file says of the network, for all architectures and formats. Private.
#pragma once

#include <string>
#include <vector>

#include "src/lm/tokenizer/json_fields.h"
#include "webnn/gguf.h"

namespace webnn::inline v0_1::lm {

/// Rotary position embedding: pair i of an element turns by position * frequency(i).
struct Rotary {
  std::uint32_t size = 0;  ///< elements of a head that turn: the first ones; 0: none
  double base = 10000;
  double scale = 1;                ///< all frequencies are divided by it
  std::vector<double> divisors{};  ///< of the frequency of each pair; empty: 1
  double magnitude = 1;            ///< cosines and sines are multiplied by it

  std::vector<double> frequencies() const;
};

enum class Pooling { none, mean, first, last };

struct Hyperparameters {
  std::string architecture{};  ///< as .gguf files name it
  std::string label{};         ///< the file, for messages
  std::string name{};          ///< that its author gave the model
  std::uint32_t layers = 0, width = 0, heads = 0, keyHeads = 0, headSize = 0;
  std::uint32_t contextLength = 0;
  std::uint32_t capacity = 0;     ///< of caches; no more than the context
  double epsilon = 1e-5;          ///< of normalization
  Rotary rotary{};                ///< of layers that see everything
  Rotary localRotary{};           ///< of layers with a window; size 0: the same
  std::uint32_t window = 0;       ///< tokens that a layer with a window sees; 0: there is none
  std::uint32_t everyGlobal = 0;  ///< of so many layers the last one sees everything; 0: none does
  double scoreScale = 0;          ///< of queries times keys; 0: 1 / sqrt(headSize)
  double embeddingScale = 1;
  double attentionCap = 0, logitCap = 0;  ///< x becomes cap * tanh(x / cap); 0: there is none
  std::string activation{};  ///< "silu", "gelu", "gelu_tanh"; empty: that of the architecture
  Pooling pooling = Pooling::none;
  bool normalizes = false;   ///< embeddings have length 1
  bool interleaved = false;  ///< rows of queries and keys are stored for pairs side by side
  double normOffset = 0;     ///< is added to the weights of RMS normalization

  bool is_local(std::uint32_t layer) const {
    return window > 0 && (everyGlobal == 0 || (layer + 1) % everyGlobal != 0);
  }
  void set_capacity(std::uint32_t asked);
  // Throw DataError for what makes no network.

  void check_sizes() const;
  void check_rotary() const;
};

/// Throws DataError for what is missing or wrong, NotSupportedError for what no architecture has.
/// `capacity`: as LoadOptions has it. Throws TypeError if it is beyond the context.
Hyperparameters hyperparameters_of(const gguf::File& file, const std::string& label,
                                   std::uint32_t capacity);
/// Those of config.json.
Hyperparameters hyperparameters_of(const Fields& config, const std::string& label,
                                   std::uint32_t capacity);

}  // namespace webnn::inline v0_1::lm
