// One operator object, and the parts of the tensors it is run on.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "src/kernels/common/cache_aligned.h"
#include "src/kernels/common/library.h"
#include "src/kernels/xnnpack/adapter.h"

namespace webnn::inline v0_1::xnnpack {

/// The elements that one call reads, from its offset on.
struct InputExtent {
  std::size_t count = 0;
  /// Whether vectors of four elements may read beyond the last one. The elements are copied first
  /// where the memory behind them may be on a page that is not ours.
  bool overreads = false;
};

/// One operator and the calls of it. Not to be run twice at the same time.
class Tile {
 public:
  Operator op;
  std::vector<CallOffsets> calls{};
  InputExtent a{}, b{};       // b: of a binary operator
  bool reads_result = false;  // the operator reads what it has written, and overreads as of a
  OutputRows output{};
  Epilogue after{};  // a residual, and the bounds that follow it
  /// Runs instead of the operator where an element of `a` or `b` is not finite, for operators that
  /// lose a NaN or an infinity.
  std::function<void(const float* a, const float* b, float* y)> plain{};
  /// An element of the result, in plain arithmetic: for operators that make an infinity of a NaN
  /// even where the operands are finite.
  std::function<float(const float* a, std::size_t row, std::size_t column)> element{};

  std::size_t scratch_bytes() const;
  /// The operator has a workspace of its own, which is not a part of the scratch.
  void own_workspace();
  /// A call that fails in XNNPACK writes NaN.
  void run(const Buffers& buffers, std::byte* scratch);

 private:
  std::byte* workspace(std::byte* scratch) { return owned_.empty() ? scratch : owned_.data(); }
  std::size_t workspace_bytes() const { return owned_.empty() ? op.workspace() : 0; }
  InputExtent result() const;
  void repair(const float* a, float* y) const;
  void add_residual(const Buffers& buffers, const CallOffsets& call) const;

  CacheAligned<std::byte> owned_{};
};

using Tiles = std::vector<Tile>;

inline constexpr const char* not_supported = "XNNPACK does not support these parameters";

/// A refusal when an operator was not made, or the tiles need too much scratch.
Lowering kernel_of(Tiles tiles, std::string name, std::vector<int> in_place = {});
/// For tiles whose operators hold weights: `make` makes the operators when the kernel is chosen.
/// `weights` has the bytes and the inputs that they need.
Lowering kernel_of(Tiles tiles, std::string name, WeightBlock weights,
                   std::function<void(Tiles&)> make);

/// Whether an operator of one element keeps a NaN: XNNPACK clamps every result, and not every
/// processor's minimum and maximum let a NaN pass.
bool keeps_nan(Operator op);
/// Whether convolutions and products keep a NaN.
bool products_keep_nan();

/// The bounds that a convolution or product itself applies: those of the epilogue, or none before a
/// residual and where a NaN would be lost.
Bounds bounds_of(const Epilogue& epilogue);
/// The part of an epilogue that follows the operator.
Epilogue remainder_of(const Epilogue& epilogue);

/// 1 to 8 tiles of simple operations on each element, each of at least `min_operations`.
inline std::size_t tiles_for(double operations, double min_operations) {
  return static_cast<std::size_t>(std::clamp(operations / min_operations, 1.0, 8.0));
}

}  // namespace webnn::inline v0_1::xnnpack
