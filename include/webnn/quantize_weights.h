// Weights of a float model in fewer bits, with the error that this makes in each of them.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

struct WeightQuantization {
  MLOperandDataType type = int8;  ///< int4, int8 or float16
  /// How many elements along the summed dimension share a scale. If this number does not divide
  /// that dimension, its largest divisor of at least 8 is taken; if there is none, and for 0, there
  /// is one scale for a column.
  std::uint32_t block = 32;
};

/// A row for one constant that was replaced.
struct QuantizedWeights {
  std::string reader;           ///< "gemm 3", the operator and its index, or its label
  MLOperandDescriptor weights;  ///< before
  std::uint32_t block = 0;      ///< 0: of float16
  double relative_error = 0;    ///< the root mean square of the errors over that of the weights
  std::uint64_t bytes = 0;      ///< after, scales included
};

/// The graph whose weights are constants of that type: the second operands of gemm and matmul, the
/// filters of 1x1 conv2d without groups, and the tables of gather, if they are float32 or float16
/// constants and large enough for kernels to read them as they are stored. They become
/// dequantizeLinear with symmetric scales, or a cast from float16. Constants with elements that are
/// not finite, or beyond the range of float16, stay. `report` gets a row for each. Throws TypeError
/// if the type is another one.
Graph quantize_weights(const Graph& graph, const WeightQuantization& options,
                       std::vector<QuantizedWeights>* report = nullptr);

}  // namespace webnn::inline v0_1
