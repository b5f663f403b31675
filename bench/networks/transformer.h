// Transformers without their embeddings: an encoder of the size of BERT-base
// (https://arxiv.org/abs/1810.04805), and a decoder of 135 million parameters with a cache of keys
// and values (https://huggingface.co/HuggingFaceTB/SmolLM-135M), without rotary embeddings.
#pragma once

#include <functional>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::bench {

/// The weights of layer `layer` with that name: float32 [k, columns], or what computes them.
using Matrices =
    std::function<MLOperand(MLGraphBuilder&, const std::string& name, std::uint32_t layer,
                            std::uint32_t k, std::uint32_t columns)>;

struct Transformer {
  std::uint32_t layers, hidden, heads, key_heads, inner, vocabulary;

  std::uint32_t head() const { return hidden / heads; }
  /// How many elements all matrices have.
  std::size_t parameters() const;
};
inline constexpr Transformer bert_base{12, 768, 12, 12, 3072, 0};
inline constexpr Transformer decoder_135m{30, 576, 9, 3, 1536, 49152};

/// "x" [rows, hidden] -> "y" of the same shape.
NamedOperands encoder(MLGraphBuilder& b, const Transformer& t, const MLDimension& rows,
                      const Matrices& matrix);
/// "x" [rows, hidden], and for each layer "k0" and "v0" [key heads, past, head], where past may be
/// the size 0: then there are none -> "logits" [1, vocabulary] of the last row, and the new keys
/// and values "new_k0", "new_v0" [key heads, rows, head].
NamedOperands decoder(MLGraphBuilder& b, const Transformer& t, const MLDimension& rows,
                      const MLDimension& past, const Matrices& matrix);

}  // namespace webnn::inline v0_1::bench
