// Kernels of custom operators, which these bring.
#pragma once

#include <optional>

#include "src/graph/custom.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// The name that explain() and compiled files have in place of a backend's.
inline constexpr std::string_view custom_backend = "custom";

/// What the operator of a node, which is a custom one, has for it: its lower(), else its compute().
/// Throws what lower() throws.
Lowering lower_custom(const Node& node);
/// Its compute() as a kernel of one tile; nothing if it has none.
std::optional<Candidate> computed_custom(const Node& node);

}  // namespace webnn::inline v0_1
