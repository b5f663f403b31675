// Small weights become panels.
#pragma once

#include "src/graph/constant_facts.h"
#include "src/kernels/simd/product/small_matrix.h"
#include "src/kernels/simd/vector/float32/small_panels.h"

namespace webnn::inline v0_1::simd {

/// Block `block` of matrix `matrix`, whose panels begin at `to` and are zeros. `m` is the first
/// matrix. `factors`: those of the scales of each panel in bytes, if they are known.
void pack_small_panel(const SmallWeights& weights, const ScaleFactors* factors,
                      const SmallMatrix& m, const SmallPanels& panels, float alpha,
                      std::size_t matrix, std::size_t block, std::byte* to);

}  // namespace webnn::inline v0_1::simd
