// One operator object, and the parts of the tensors it is run on.
#pragma once

#include <functional>
#include <vector>

#include "src/kernels/common/fused.h"
#include "src/kernels/xnnpack/adapter.h"

namespace webnn::xnnpack {

/// The elements of the tensors at which one call begins.
struct Place {
  std::size_t a = 0, b = 0, y = 0;
};

/// What one call reads: so many elements from its place on.
struct Reads {
  std::size_t count = 0;
  /// Whether vectors of four elements may run over the end. Then the elements are copied first
  /// where memory that belongs to somebody else might follow.
  bool ragged = false;
};

/// Not to be run twice at the same time.
class Tile {
 public:
  Operator op;
  std::vector<Place> places{};
  Reads a{}, b{};             // b: of a binary operator
  bool reads_result = false;  // the operator reads back what it has written: as ragged as a is
  // The part of the result that one call writes: rows of `columns` elements, `step` apart.
  std::size_t rows = 1, columns = 0, step = 0;
  Epilogue after{};  // a residual, and the bounds that follow it
  /// Runs instead of the operator where an element of `a` is not finite, for operators that lose a
  /// NaN or an infinity.
  std::function<void(const float* a, float* y)> plain{};

  std::size_t scratch_bytes() const;
  /// A call that XNNPACK fails leaves NaN.
  void run(const Buffers& buffers, std::byte* scratch);

 private:
  Reads result() const;
  void add_residual(const Buffers& buffers, const Place& place) const;
};

using Tiles = std::vector<Tile>;

/// A refusal when an operator was not made, or the tiles need too much scratch.
Lowering lowered(Tiles tiles, std::string name, std::vector<int> in_place = {});

/// The bounds that the operator itself applies: all, unless a residual comes in between.
Bounds bounds_of(const Epilogue& epilogue);
/// The part of an epilogue that follows the operator.
Epilogue remainder_of(const Epilogue& epilogue);

/// 1 to 8 tiles of simple operations on each element; `least`: those that are worth a call.
inline std::size_t tiles_for(double operations, double least) {
  return static_cast<std::size_t>(std::clamp(operations / least, 1.0, 8.0));
}

}  // namespace webnn::xnnpack
