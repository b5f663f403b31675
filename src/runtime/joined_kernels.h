// Kernels over states that several sequences have, each with a length of its own.
#pragma once

#include <optional>
#include <span>

#include "src/graph/fused/attention.h"
#include "src/kernels/backends.h"
#include "src/kernels/common/growing.h"

namespace webnn::inline v0_1 {

// The memory of an input or output that is joined is a table: the addresses of its states. The
// sizes are those of the longest state, and behind them those of each one.

/// The kernel for an attention of one sequence, run on each. Nothing where sequences have parts in
/// common that depend on their lengths, or there is no such kernel.
std::optional<Candidate> joined_attention(const LibraryBackend& backend, const Node& node,
                                          const GrowingRows& rows, std::uint32_t sequences,
                                          std::span<const MLOperand> masks);

/// Writes a row behind those that each state has. `outer`: the blocks of all states; a row has
/// `bytes` bytes.
Candidate joined_append(const GrowingRows& rows, std::uint32_t sequences, std::size_t outer,
                        std::size_t bytes, std::size_t capacity);

}  // namespace webnn::inline v0_1
