// What kernels of an accuracy level do to the operands of products before they multiply.
#pragma once

#include <map>

#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {

struct OperandRounding {
  enum class To { float32, bfloat16, int8 };
  To to = To::float32;
  float factor = 1;       ///< bfloat16: alpha of gemm, by which the operand is multiplied before
  std::size_t piece = 0;  ///< int8: the elements of a row whose largest magnitude becomes 127

  bool rounds() const { return to != To::float32; }
  Tensor operator()(Tensor x) const;
};

/// By the place of an operator in its graph, and the index of the operand.
using OperandRoundings = std::map<std::pair<std::size_t, std::size_t>, OperandRounding>;

/// Those of MLGraph::optimized(), as the kernels in the report of the graph do it.
OperandRoundings roundings_of(const MLGraph& graph);

}  // namespace webnn::inline v0_1::test
