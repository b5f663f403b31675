// The quantization of a tensor by its own range, for which WebNN has no operator, written out in
// those it has.
#pragma once

#include <optional>
#include <vector>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// With high = max(reduceMax(x), 0), low = min(reduceMin(x), 0) and range = high - low:
///   scale = range / 255, or 1 where `guarded` and range is 0
///   zero = clamp(roundEven(-(low / scale)), 0, 255)
///   y = clamp(roundEven(x / scale) + zero, 0, 255), where the quotient is `exact` (quantizeLinear)
///   or rounded to float32 before it is rounded to an integer (the operators one by one).
struct DynamicQuantization {
  MLOperand x{};
  bool guarded = false, exact = false;
};

/// The operators of the quantization whose last one is this node, in the order of the graph. Empty
/// if there is none.
std::vector<Node> dynamic_quantization_before(const Graph&, const Node& last);
/// What a chain of these operators computes.
std::optional<DynamicQuantization> dynamic_quantization_of(Chain);

/// What each result of such a chain is.
enum class QuantizationPart { quantized, scale, zero };
struct QuantizationResult {
  MLOperand y{};
  QuantizationPart part{};
};
/// The results of a chain of a dynamic quantization: that of its last operator, the scale and the
/// zero point, and both as each reshape in the chain has them.
std::vector<QuantizationResult> quantization_results(Chain);

/// The results that a kernel for a chain writes: those of its last operator, and of a dynamic
/// quantization also the others that are read outside of the chain.
std::vector<MLOperand> results_of(Chain);

}  // namespace webnn::inline v0_1
