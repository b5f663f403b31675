// Kernels of products with packed small weights.
#pragma once

#include "src/kernels/simd/options.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/small_panels.h"

namespace webnn::inline v0_1::simd {

/// The inputs of a chain as the operators behind the first one see them by themselves.
struct LaterInputs {
  static constexpr std::size_t max_count = 8;
  int before = 0;         ///< of the first operator
  std::size_t count = 0;  ///< of the others, the weights among them

  int slot(int later) const { return later <= 0 ? before + later : before + later - 1; }
  std::array<const std::byte*, max_count> of(const Buffers& b) const {
    std::array<const std::byte*, max_count> later{};
    for (std::size_t i = 0; i < count; ++i)
      later[i] = b.inputs[to_size(slot(static_cast<int>(i == 1 ? 0 : i)))];
    return later;
  }
};

/// A product with the weights of a block that are as `panels` say, one matrix after the other. The
/// slot of the bias is that of the chain.
Lowering small_product(const Product& p, const SmallPanels& panels, WeightBlock weights,
                       const LaterInputs& later, const Options& options, const GatheredRows& rows);

}  // namespace webnn::inline v0_1::simd
