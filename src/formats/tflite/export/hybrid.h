// Products whose float input is quantized in every run: what the importer makes of TFLite's hybrid
// operators becomes one again.
#pragma once

#include "src/formats/tflite/export/model.h"

namespace webnn::inline v0_1::tflite::exporter {

struct Hybrid {
  std::size_t product = 0;         ///< the conv2d or gemm
  MLOperand input{}, integers{};   ///< before and after its quantization
  MLOperand filter{}, elements{};  ///< floats, and the int8 constant that they come from
  std::vector<float> scales{};     ///< those of the filter
  std::optional<MLOperand> bias{};
  bool asymmetric = false;
};

/// Whether an add or mul is the end of such a product, in a form that the runtime's operator has.
std::optional<Hybrid> find_hybrid(const Graph& graph, const Node& node);

}  // namespace webnn::inline v0_1::tflite::exporter
