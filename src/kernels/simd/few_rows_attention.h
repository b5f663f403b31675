// Attention of few rows: the steps of a decoder.
#pragma once

#include <cstdint>
#include <optional>

#include "src/graph/fused/attention.h"
#include "src/kernels/common/growing.h"

namespace webnn::inline v0_1::simd {

/// Reads keys and values once, where they lie. Nothing if the rows are not few.
std::optional<Candidate> few_rows_attention(const fused::attention& op);

/// The same over keys and values that are states with room for more rows, of which a run has so
/// many as its GrowingSizes say. The result has the bits of the other kernel for that many rows.
std::optional<Candidate> few_rows_attention(const fused::attention& op, const GrowingRows& rows);

/// The same for any number of rows.
std::optional<Candidate> growing_attention(const fused::attention& op, const GrowingRows& rows);

}  // namespace webnn::inline v0_1::simd
