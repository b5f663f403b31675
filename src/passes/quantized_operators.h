// Quantized operators: those whose operands are dequantizeLinear and whose result is quantized.
#pragma once

#include <optional>
#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// What may be between dequantizeLinear and the operator.
enum class Between {
  reshape,   // what kernels take
  transpose  // also what convert_to_nhwc may remove
};

class QuantizedOperators {
 public:
  explicit QuantizedOperators(const Graph& graph, Between between = Between::reshape);

  /// The places in the graph of the operators around the one at place i: the dequantizeLinear of
  /// its operands, each perhaps with a reshape, itself, the operators that follow, quantizeLinear.
  /// Nothing if it is not between these.
  std::optional<std::vector<std::size_t>> chain_around(std::size_t i) const;

  /// The same around a product or convolution of integers with constant integers whose result need
  /// not be quantized. The first `shortest` places end with the operator itself.
  struct Product {
    std::vector<std::size_t> places{};
    std::size_t shortest = 0;
  };
  std::optional<Product> product_around(std::size_t i) const;

 private:
  bool add_operands(std::size_t i, std::vector<std::size_t>& places) const;
  bool add_operand(const MLOperand& x, std::vector<std::size_t>& places, bool& computed) const;
  bool add_tail(std::vector<std::size_t>& places) const;

  const Graph& graph_;
  Between between_;
  struct Readers {
    std::size_t count = 0, node = 0;
  };
  std::vector<Readers> reads_;  // by operand; outputs of the graph count
};

/// Whether the node is a dequantizeLinear of constants.
bool dequantizes_constants(const Node& node);

}  // namespace webnn::inline v0_1
