// What operators do where the length of states decides their operands. By kind.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1 {

/// shape(), rank() and dimension(), which read no values.
bool reads_shape_alone(std::size_t kind);
/// Whether every kernel and every pass gives the same bits. `floats`: the result is of floats;
/// `half`: an operand is float16, with which passes compute in float32.
bool is_exact(std::size_t kind, bool floats, bool half);
/// Whether fold_constants replaces it when its operands are constants.
bool is_folded(std::size_t kind);

/// Whether it treats all rows alike: its attributes have no sizes but those that operands say.
bool treats_rows_alike(std::size_t kind);
/// Whether the result has the elements of the first operand, in their order, if the shapes are the
/// same.
bool moves_within(std::size_t kind);

/// Whether passes do the same for an input as for a constant, but for its place behind a product.
bool reads_as_input(std::size_t kind);
/// Whether it has weights into which passes fold factors and summands, or makes a normalization.
bool has_weights(std::size_t kind);
/// Whether passes may move factors and summands before it: always, or those of one element.
bool passes_factors(std::size_t kind);
bool reshapes_alone(std::size_t kind);

}  // namespace webnn::inline v0_1
