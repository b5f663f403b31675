// Attention of few rows: the steps of a decoder.
#pragma once

#include <cstdint>
#include <optional>

#include "src/graph/fused/attention.h"
#include "src/kernels/common/growing.h"
#include "src/kernels/simd/options.h"

namespace webnn::inline v0_1::simd {

/// Whether to pack the matrices takes longer than it saves.
bool are_few(std::size_t rows, std::size_t terms);

/// Reads keys and values once, where they lie. Nothing if they do not lie so that it can. With
/// GrowingRows they are states with room for more rows, of which a run has so many as its
/// GrowingSizes say; the result has the bits of the other kernel for that many rows.
std::optional<Candidate> few_rows_attention(const fused::attention& op,
                                            const std::optional<GrowingRows>& rows = std::nullopt);

/// Attention of any number of rows over such states.
std::optional<Candidate> growing_attention(const fused::attention& op, const GrowingRows& rows,
                                           const Options& options);

}  // namespace webnn::inline v0_1::simd
