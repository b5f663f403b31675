// Operators that become one node: with the activation that follows, and with the dequantizeLinear
// before and the quantizeLinear behind. Private.
#pragma once

#include "src/formats/common/quantized_groups.h"
#include "webnn/nnrt.h"

namespace webnn::inline v0_1::nnrt::exporter {

using formats::Quantizer;
using Group = formats::Group<ActivationType>;
using Groups = formats::Groups<ActivationType>;
Groups find_groups(const Graph& graph);

/// The scales of a tensor.
std::vector<QuantParam> params_of(const Quantizer& q, MLOperandDataType type);

/// By operand: the quantization of 8-bit elements, the same for all tensors between which only
/// movement lies. None where a reader takes the elements as they are, or with other scales, and
/// none for several scales of which the model could not say the axis.
std::vector<std::optional<Quantizer>> find_quantizers(const Graph& graph);

}  // namespace webnn::inline v0_1::nnrt::exporter
