// Finds the quantization of a tensor by its own range, with high = max(reduceMax(x), 0),
// low = min(reduceMin(x), 0) and range = high - low:
//   scale = range / 255, or where(range == 0, 1, range / 255)
//   zeroPoint = cast(clamp(roundEven(-(low / scale)), 0, 255))
//   quantizeLinear(x, scale, zeroPoint), or
//   cast(clamp(roundEven(x / scale) + cast(zeroPoint), 0, 255))
// The scale and the zero point may be reshaped and transposed anywhere, and read by others.
#pragma once

#include <vector>

#include "src/graph/fused/operators.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {

struct DynamicQuantization {
  fused::dynamicQuantizeLinear op{};
  std::vector<std::size_t> places{};         ///< of its operators in the graph, in order
  std::vector<MLOperand> scales{}, zeros{};  ///< as each reshape has them
  MLOperand y{};                             ///< the integers
};
/// Those whose operators compute nothing else that is read. None shares an operator with another.
std::vector<DynamicQuantization> dynamic_quantizations(const Graph& graph);

}  // namespace webnn::inline v0_1
