// attention: softmax(queries * keys + mask) * values, each operand and the scores perhaps scaled.
#pragma once

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1::fused {

/// How something is scaled by a number: not at all, x * number or x / number.
enum class Scaling { none, product, quotient };
constexpr auto names_of(Scaling) { return names("none", "product", "quotient"); }

struct AttentionOptions {
  std::optional<MLOperand> condition{};  ///< which scores are replaced; broadcast to them
  std::optional<MLOperand> mask{};       ///< is added to the scores; broadcast to them
  std::optional<MLOperand> leftOut{};    ///< not 0 for rows of zeros; broadcast to [..., rows, 1]
  Dims keysPermutation{};                ///< the keys are transposed; empty: they are not
  /// How many heads in a row, along the third dimension from the end, have the same keys or values.
  std::uint32_t keyRepeats = 1, valueRepeats = 1;
  Scaling queryScaling = Scaling::none, keyScaling = Scaling::none, scoreScaling = Scaling::none;
  double queryFactor = 1, keyFactor = 1, scoreFactor = 1;
  Dims
      maskedShape{};  ///< to which the scores are reshaped when they are masked; empty: as they are
  MLNumber replacement = 0;    ///< of scores; it may be infinite
  bool conditionKeeps = true;  ///< whether scores are replaced where the condition is 0, or is not
  std::string label{};
};

/// queries [..., rows, inner], keys [..., inner, terms] when they are transposed and repeated,
/// values [..., terms, columns] when they are repeated.
struct attention {
  MLOperand queries, keys, values;
  AttentionOptions options{};

  static constexpr auto declaration = ops::declare(
      "attention", ops::operand<&attention::queries>("queries", ops::allow({float32}, {2})),
      ops::operand<&attention::keys>("keys", ops::type_of("queries", {2})),
      ops::operand<&attention::values>("values", ops::type_of("queries", {2})),
      ops::operand<&AttentionOptions::condition>("condition", ops::allow({uint8})),
      ops::operand<&AttentionOptions::mask>("mask", ops::type_of("queries")),
      ops::operand<&AttentionOptions::leftOut>("leftOut", ops::allow({uint8})),
      ops::attribute<&AttentionOptions::keysPermutation>("keysPermutation"),
      ops::attribute<&AttentionOptions::keyRepeats>("keyRepeats"),
      ops::attribute<&AttentionOptions::valueRepeats>("valueRepeats"),
      ops::attribute<&AttentionOptions::queryScaling>("queryScaling"),
      ops::attribute<&AttentionOptions::keyScaling>("keyScaling"),
      ops::attribute<&AttentionOptions::scoreScaling>("scoreScaling"),
      ops::attribute<&AttentionOptions::queryFactor>("queryFactor"),
      ops::attribute<&AttentionOptions::keyFactor>("keyFactor"),
      ops::attribute<&AttentionOptions::scoreFactor>("scoreFactor"),
      ops::attribute<&AttentionOptions::maskedShape>("maskedShape"),
      ops::attribute<&AttentionOptions::replacement>("replacement"),
      ops::attribute<&AttentionOptions::conditionKeeps>("conditionKeeps"),
      ops::result("output", ops::type_of("queries")));
};

/// Shapes inside of an attention.
struct AttentionShapes {
  Dims keys{};    ///< transposed and repeated
  Dims values{};  ///< repeated
  Dims scores{};  ///< [batches..., rows, terms]
  Dims masked{};  ///< the same elements as they lie when they are masked: [..., rows, terms]
};
/// Nothing if the operands do not fit.
std::optional<AttentionShapes> shapes_of(const attention& op);

/// The batches of the result are those of the scores. Scores that are masked in another shape have
/// the same mask for all batches of that shape.
Result<ops::Shapes> infer(const attention& op);
MLOperand compose(const attention& op, Composer& to);

}  // namespace webnn::inline v0_1::fused
