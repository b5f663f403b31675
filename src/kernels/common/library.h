// Common parts of the backends that call a library: requests for one operator, and tiles, each of
// which is a few calls of the library.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/common/lower_table.h"

namespace webnn::inline v0_1 {

/// A request to lower one operator: its result, and the epilogue to fuse.
struct LoweringRequest {
  Chain chain;
  MLOperand result;
  Epilogue epilogue{};  // of convolutions and products only
};
/// The request for a chain of one operator, or of a conv2d, gemm or matmul and what follows it;
/// nothing for other chains.
std::optional<LoweringRequest> request_of(Chain chain);

/// The number of tiles, by the estimated microseconds on one thread. A call costs
/// about 0.3 microseconds by itself, so short work has few tiles, and long work at most 64.
inline int library_tiles(double microseconds) {
  if (microseconds < 60) return microseconds < 4 ? 1 : microseconds < 10 ? 2 : 4;
  constexpr double each = 50;  // microseconds
  return static_cast<int>(std::clamp(microseconds / each, 8.0, 64.0));
}

// Multiplications and additions that a thread does in a microsecond, by kind of operator.
inline constexpr double dense_rate = 140e3, depthwise_rate = 50e3, pooling_rate = 20e3;

/// The time of an m x k by k x n product: arithmetic, and the weights that have to come from
/// memory.
inline double product_microseconds(double m, double n, double k) {
  constexpr double memory_rate = 60e3;  // bytes
  return m * n * k / dense_rate + 4 * n * k / memory_rate;
}

/// The part of an image operator that a tile computes: rows [r0, r1) and output channels [c0, c1)
/// of the images [n0, n1).
struct ImageRegion {
  int n0, n1, r0, r1, c0, c1;
};

/// The elements of the operands and of the result at which a call begins.
struct CallOffsets {
  std::size_t a = 0, b = 0, y = 0;
};

/// The part of the result that a call writes: rows of `columns` elements, `step` apart.
struct OutputRows {
  std::size_t rows = 1, columns = 0, step = 0;

  /// The result of a failed call: NaN in the rows at y, which are `y_step` apart.
  void fill_nan(float* y, std::size_t y_step) const;
  /// Clamps rows at y, which are `y_step` apart. NaN stays.
  void clamp(float* y, std::size_t y_step, float lo, float hi) const;
  /// Copies rows that are `from_step` apart to their places from y on.
  void copy(const float* from, std::size_t from_step, float* y) const;
};

}  // namespace webnn::inline v0_1
