// The inputs and outputs of a graph by their names, as a call gives them.
#pragma once

#include "src/runtime/name_index.h"

namespace webnn::inline v0_1 {

/// The place of a name in a graph's inputs or outputs. Throws TypeError for a name that it does not
/// have. `what` is "input" or "output".
std::size_t find(const NamedDescriptors& all, const NameIndex& index, std::string_view name,
                 std::size_t hint, const char* what, std::string_view method);

/// The inputs or outputs of a graph, for a message.
std::string listed(const NamedDescriptors& all);

}  // namespace webnn::inline v0_1
