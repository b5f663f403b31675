// Values of a builder that follow from constants alone. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <optional>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::formats {

/// The most elements of a value that is computed while a file is imported.
inline constexpr std::uint64_t max_folded = 4096;

/// A constant with the value of x, computed by the reference kernels. Nothing when x follows from
/// an input, or it or a value on the way to it has more than max_folded elements.
[[gnu::visibility("hidden")]] std::optional<MLOperand> folded(const MLOperand& x,
                                                              MLGraphBuilder& builder);

}  // namespace webnn::inline v0_1::formats
