// Weights in the layout of the kernels.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "src/kernels/common/cache_aligned.h"
#include "src/kernels/common/packed_array.h"
#include "src/kernels/simd/vector/float32/gemm.h"
#include "src/kernels/simd/vector/float32/panels.h"

namespace webnn::inline v0_1::simd {

/// Constant floats, which are read when they are packed. Empty: there are none.
struct Values {
  int slot = -1;  ///< of Buffers::inputs
  std::function<std::shared_ptr<const float>()> read{};
  std::string order{};  ///< for WeightBlock::layout, when `read` has them in another order
  /// `read` gives float16 or bfloat16 in their place, for products of bfloat16 alone.
  MLOperandDataType gives = MLOperandDataType::float32;

  explicit operator bool() const { return read != nullptr; }
  std::shared_ptr<const float> operator()() const { return read ? read() : nullptr; }
};
Values values_of(const MLOperand& constant, int slot);

/// A matrix to be packed: element (k, column) is at k * stride_k + column * stride_column.
struct WeightMatrix {
  const float* data;
  std::size_t k;
  int columns;
  std::size_t stride_k, stride_column;
  float scale = 1;
};

std::size_t padded_columns(int columns);  ///< up to whole vectors
int vector_columns(int columns);          ///< their number
inline std::size_t packed_floats(const WeightMatrix& m) { return m.k * padded_columns(m.columns); }
/// As vector columns of [k][lanes]. A last vector of at most half its lanes has the columns in both
/// halves: the kernel computes two rows with it.
void pack_columns(const WeightMatrix& m, float* to);
/// As [columns][k], for narrow products.
void pack_rows(const WeightMatrix& m, float* to);
/// In panels: layout.size() floats, of which block b of k is written.
void pack_panels(const WeightMatrix& m, const PanelLayout& layout, std::size_t b, float* to);
/// `count` values, times scale; zeros when from is null. Padded as columns are.
void pack_bias(const float* from, int count, float* to, float scale = 1);

/// As pack_bias() writes it, padded to so many columns.
PackedArray<float> packed_bias(std::vector<WeightBlock>& weights, const Values& from, int count,
                               std::size_t padded, float scale = 1);

struct PackedWeights {
  PackedArray<float> w{}, bias{};
};

}  // namespace webnn::inline v0_1::simd
