// rmsNormalization: a normalization by the root of the mean square over the last dimension,
// scale * x / sqrt(mean(x^2) + epsilon).
#pragma once

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1::fused {

/// How a square is written: x * x or pow(x, 2).
enum class Square { product, power };
constexpr auto names_of(Square) { return names("product", "power"); }

/// How the quotient by the root of a sum is written: x / sqrt(sum), x * reciprocal(sqrt(sum)),
/// x * (1 / sqrt(sum)) or x * pow(sum, -0.5).
enum class RootQuotient { quotient, reciprocal, quotient_of_one, power };
constexpr auto names_of(RootQuotient) {
  return names("quotient", "reciprocal", "quotient-of-one", "power");
}

struct RmsNormalizationOptions {
  std::optional<MLOperand> scale{};  ///< of the size of the last dimension
  double epsilon = 1e-5;
  Square square = Square::product;
  RootQuotient form = RootQuotient::quotient;
  bool factorFirst = false;  ///< how a product with the reciprocal is written: factor * x
  bool scaleFirst = false;   ///< how the product with the scale is written: scale * y
  std::string label{};
};

struct rmsNormalization {
  MLOperand input;
  RmsNormalizationOptions options{};

  static constexpr auto declaration = ops::declare(
      "rmsNormalization",
      ops::operand<&rmsNormalization::input>("input", ops::allow({float32}, {1})),
      ops::operand<&RmsNormalizationOptions::scale>("scale", ops::type_of("input", {1})),
      ops::attribute<&RmsNormalizationOptions::epsilon>("epsilon"),
      ops::attribute<&RmsNormalizationOptions::square>("square"),
      ops::attribute<&RmsNormalizationOptions::form>("form"),
      ops::attribute<&RmsNormalizationOptions::factorFirst>("factorFirst"),
      ops::attribute<&RmsNormalizationOptions::scaleFirst>("scaleFirst"),
      ops::result("output", ops::same_as("input")));
};

/// The scale has one element for each of the last dimension of the input and no other.
Result<ops::Shapes> infer(const rmsNormalization& op);
MLOperand compose(const rmsNormalization& op, Composer& to);

/// Whether an operand has one element for each of the last dimension of x and no other, so that a
/// product with it has the shape of x.
bool is_row_of(const MLOperand& scale, const MLOperand& x);

}  // namespace webnn::inline v0_1::fused
