// WebNN's operators in terms of NNRt's nodes: an overload of lower() for each, in the file of its
// family. Private.
#pragma once

#include "src/formats/common/lowering.h"
#include "src/formats/nnrt/export/emitter.h"

namespace webnn::inline v0_1::nnrt::exporter {

using Values = formats::Values<Value>;
using LoweringContext = formats::LoweringContext<Emitter, Value>;

inline const Dims to_nhwc{0, 2, 3, 1}, to_nchw{0, 3, 1, 2};

/// The operators of 8-bit elements as several nodes.
Values written_out(LoweringContext&, const ops::dequantizeLinear&);
Values written_out(LoweringContext&, const ops::quantizeLinear&);

/// What NNRt has no nodes for. All other operators but those of quantization, which export.cpp
/// writes, have an overload of lower().
using Refused = ops::OpList<ops::cumulativeSum, ops::gru, ops::gruCell>;

#include "src/formats/common/lower.inc"

}  // namespace webnn::inline v0_1::nnrt::exporter
