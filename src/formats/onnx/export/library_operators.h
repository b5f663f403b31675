// Operators of the library that ONNX has. Private.
#pragma once

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {

/// ONNX's operator in place of one of src/operators; nothing where it is not one of them, or ONNX
/// does not have it: then it is a node of the domain in its name.
std::optional<Values> lower_library(LoweringContext& c, const ops::custom& op,
                                    std::span<const MLOperand> outputs);

/// Those with a reduction, of a tensor, indices and updates.
Values scatter_elements(LoweringContext& c, const ops::custom& op, std::uint32_t axis,
                        std::string_view reduction);
Values scatter_nd(LoweringContext& c, const ops::custom& op, std::string_view reduction);

}  // namespace webnn::inline v0_1::onnx::exporter
