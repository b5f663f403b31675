// All networks that are measured beside ONNX Runtime.
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

struct Network {
  std::string_view name, kind;
  /// Networks without images have no layout.
  NamedOperands (*build)(MLGraphBuilder&, MLInputOperandLayout, const WeightSink&);
};
std::span<const Network> networks();

}  // namespace webnn::inline v0_1::bench
