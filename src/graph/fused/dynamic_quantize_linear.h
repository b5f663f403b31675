// dynamicQuantizeLinear: a tensor in 8 bits, with the scale and the zero point of its own range.
#pragma once

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1::fused {

/// How the integers are made: by quantizeLinear, which rounds the exact quotient, or as the cast of
/// clamp(roundEven(x / scale) + zeroPoint), in which the quotient is rounded to float32 first.
enum class Quotient { exact, rounded };
constexpr auto names_of(Quotient) { return names("exact", "rounded"); }

struct DynamicQuantizeLinearOptions {
  bool guarded = false;  ///< the scale is 1 where the range is 0
  Quotient quotient = Quotient::exact;
  /// Whether 0 is the first operand of max and of min, which decides the sign of a bound of 0.
  bool zeroFirstInMax = false, zeroFirstInMin = false;
  std::string label{};
};

/// With high = max(reduceMax(x), 0), low = min(reduceMin(x), 0) and range = high - low:
///   scale = range / 255, or 1 where `guarded` and range is 0
///   zeroPoint = clamp(roundEven(-(low / scale)), 0, 255)
///   output = clamp(roundEven(x / scale) + zeroPoint, 0, 255)
struct dynamicQuantizeLinear {
  MLOperand input;
  DynamicQuantizeLinearOptions options{};

  static constexpr auto declaration = ops::declare(
      "dynamicQuantizeLinear",
      ops::operand<&dynamicQuantizeLinear::input>("input", ops::allow({float32})),
      ops::attribute<&DynamicQuantizeLinearOptions::guarded>("guarded"),
      ops::attribute<&DynamicQuantizeLinearOptions::quotient>("quotient"),
      ops::attribute<&DynamicQuantizeLinearOptions::zeroFirstInMax>("zeroFirstInMax"),
      ops::attribute<&DynamicQuantizeLinearOptions::zeroFirstInMin>("zeroFirstInMin"),
      ops::result("output", ops::allow({uint8})), ops::result("scale", ops::type_of("input")),
      ops::result("zeroPoint", ops::allow({uint8})));
};

/// The scale and the zero point have rank 0.
Result<ops::Shapes> infer(const dynamicQuantizeLinear& op);
/// Returns the output, the scale and the zero point.
std::vector<MLOperand> compose(const dynamicQuantizeLinear& op, Composer& to);

}  // namespace webnn::inline v0_1::fused
