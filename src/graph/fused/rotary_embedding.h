// rotaryEmbedding: rows along the last dimension, whose elements are rotated in pairs,
// (a * cos - b * sin, b * cos + a * sin).
#pragma once

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1::fused {

/// Which elements of a row are a pair: one of the first half and one of the second, or neighbors.
enum class RotaryPairs { halves, interleaved };
constexpr auto names_of(RotaryPairs) { return names("halves", "interleaved"); }

/// How the rotation is written: x * cos + r * sin, where r has (-b, a) in place of each pair (a,
/// b), and cos and sin have an element for each of a row; or a * cos - b * sin and a * sin + b *
/// cos, where they have one for each pair.
enum class RotaryForm { rows, pairs };
constexpr auto names_of(RotaryForm) { return names("rows", "pairs"); }

struct RotaryEmbeddingOptions {
  RotaryPairs pairs = RotaryPairs::halves;
  RotaryForm form = RotaryForm::rows;
  std::string label{};
};

struct rotaryEmbedding {
  MLOperand input, cos, sin;
  RotaryEmbeddingOptions options{};

  static constexpr auto declaration = ops::declare(
      "rotaryEmbedding", ops::operand<&rotaryEmbedding::input>("input", ops::allow({float32}, {1})),
      ops::operand<&rotaryEmbedding::cos>("cos", ops::type_of("input", {1})),
      ops::operand<&rotaryEmbedding::sin>("sin", ops::type_of("input", {1})),
      ops::attribute<&RotaryEmbeddingOptions::pairs>("pairs"),
      ops::attribute<&RotaryEmbeddingOptions::form>("form"),
      ops::result("output", ops::same_as("input")));
};

/// cos and sin broadcast to the input, of whose last dimension, which is even, they have all
/// elements, or one for each pair.
Result<ops::Shapes> infer(const rotaryEmbedding& op);
MLOperand compose(const rotaryEmbedding& op, Composer& to);

}  // namespace webnn::inline v0_1::fused
