// Operators that become one operator of TFLite: with the activation that follows, and with the
// dequantizeLinear before and the quantizeLinear behind.
#pragma once

#include <map>

#include "src/formats/tflite/export/model.h"

namespace webnn::tflite::exporter {

struct Group {
  std::size_t op = 0;    ///< the operator itself
  std::size_t last = 0;  ///< the one whose result the group has
  ActivationFunctionType activation = ActivationFunctionType::NONE;
  std::optional<Quantizer> quantizer{};  ///< of the result of a quantized group
};

struct Groups {
  std::map<std::size_t, Group> by_last{};
  std::vector<bool> absorbed{};  ///< by operator: part of a group, and not its last
};
Groups find_groups(const Graph& graph);

/// The quantization that scale and zeroPoint stand for, if TFLite can express it: constants, one of
/// each or one for every index of one dimension of x.
std::optional<Quantizer> quantizer_of(const MLOperand& x, const MLOperand& scale,
                                      const MLOperand& zero_point);
/// The dequantizeLinear that x is the result of, if it has such a quantization.
const ops::dequantizeLinear* dequantized(const Graph& graph, const MLOperand& x);
/// The elements of a float32 or an integer constant.
std::vector<double> elements_of(const MLOperand& constant);
/// By operand: the quantization of 8-bit elements. It is that of the dequantizeLinear or
/// quantizeLinear at one end of a sequence of operators that only move elements.
std::vector<std::optional<Quantizer>> find_quantizers(const Graph& graph);

}  // namespace webnn::tflite::exporter
