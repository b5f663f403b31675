// The only file that includes flatbuffers and what its compiler makes of the schemas. Private.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "delegate_generated.h"
#include "program_generated.h"

namespace webnn::inline v0_1::executorch {

namespace fb = flatbuffers;
namespace pte = ::webnn_schema::executorch::pte;
namespace xnn = ::webnn_schema::executorch::xnn;

// Flags of values and nodes, as xnnpack.h has them.
inline constexpr std::uint32_t external_input = 1, external_output = 2, no_value = 0xffffffff;
inline constexpr std::uint32_t transpose_weights = 1, transpose_b = 1, transpose_a = 2,
                               same_padding_flag = 4, reshape_to_2d = 4, legacy_resize = 4,
                               float32_weights = 8, align_corners = 8, keep_dims = 64;
/// Hints that do not change results: yield workers, transient indirection buffer.
inline constexpr std::uint32_t hints = 16 | 32;

/// A name of the node kind, "Add" for example.
std::string_view name_of_kind(xnn::NodeUnion kind);

}  // namespace webnn::inline v0_1::executorch
