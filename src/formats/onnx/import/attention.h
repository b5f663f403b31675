// What the operators of attention share. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
MLOperand split_heads(Call&, const MLOperand& x, std::int64_t heads);
MLOperand merge_heads(Call&, const MLOperand& x);

/// What becomes of a query that sees no key: all that is added to its scores is minus infinity.
enum class Blind {
  zeros,  // as the errata of operator sets 23 and 24 say
  mean    // of the values, as in ONNX Runtime, whose masks are finite
};

/// What is computed with queries, keys and values of [batch, heads, sequence, size].
struct Heads {
  MLOperand q, k, v;
  double scale = 0, softcap = 0;
  std::vector<MLOperand> biases{};  // added to the scores
  bool may_be_blind = false;        // whether they may be minus infinity for all keys of a query
  Blind blind = Blind::zeros;
};
struct Attended {
  MLOperand y, scores, probabilities;
};

Attended attend(Call&, const Heads&);

/// 0 where a query sees a key, else minus infinity. A query sees the keys up to its own position,
/// and of them the last `window`, if that is not 0. Positions are int32; both broadcast.
MLOperand causal_bias(Call&, MLOperandDataType, const MLOperand& queries, const MLOperand& keys,
                      std::int64_t window = 0);
/// The same for query i at position i + offset.
MLOperand causal_bias(Call&, MLOperandDataType, const Size& queries, const Size& keys,
                      const Size& offset, std::int64_t window = 0);

/// The cache of input i, and what is new.
MLOperand with_past(Call&, std::size_t i, const MLOperand& now);

/// x [batch, heads, sequence, size] rotated by angles whose cosines and sines are [positions, size
/// / 2], of which `places` [batch, sequence] are taken, or [batch, sequence, size / 2].
MLOperand rotary(Call&, const MLOperand& x, MLOperand cosines, MLOperand sines,
                 const std::optional<MLOperand>& places, std::int64_t dimensions, bool interleaved);

/// com.microsoft.GroupQueryAttention.
void group_query_attention(Call&);

}  // namespace webnn::inline v0_1::onnx
