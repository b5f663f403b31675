// The open dimensions of inputs that values follow from. Private; a shared library of a format has
// its own copy and does not show it.
#pragma once

#include "src/formats/common/partial_values.h"

namespace webnn::inline v0_1::formats {

inline constexpr std::string_view give_a_size =
    "give a size in the option dimensions, or a shape in the option shapes";

/// The inputs of the builder from which x follows, some of them.
[[gnu::visibility("hidden")]] std::vector<MLOperand> sources_of(const MLOperand& x);
/// `dimension 1 ("sequence") of input "x"`, with commas between several of them.
[[gnu::visibility("hidden")]] std::string open_dimensions(const MLOperand& x);

/// Makes what the import, whose operators begin with one of the builder, computed with sizes of and
/// does not need otherwise a part of an output: a run checks that sizes of what its graph has are
/// those that seemed known.
[[gnu::visibility("hidden")]] void keep_sources(MLGraphBuilder&, PartialValues&,
                                                std::size_t first_node, NamedOperands& outputs);

}  // namespace webnn::inline v0_1::formats
