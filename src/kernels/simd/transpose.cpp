#include "src/kernels/simd/vector/transpose.h"
#include "src/kernels/common/cut.h"
#include "src/kernels/common/loop.h"
#include "src/kernels/simd/backend.h"

namespace webnn::simd {

/// Only where the result's innermost dimension has 2 to 4 elements and the next ones are innermost
/// in the operand, as when images of few channels become nhwc. Other transpositions are bound by
/// memory, and blocks of plain loops do as well.
Lowering lower(const ops::transpose& op, Chain chain) {
  constexpr std::size_t piece = 2048;  // columns
  if (chain.size() > 1) return Refusal{"nothing is fused to a transposition"};
  const auto order = ops::permutation_of(op);
  const Dims& shape = chain.front().output().shape();
  const auto from = strides_of(op.input.shape());
  std::array<std::ptrdiff_t, max_rank> x{};
  for (std::size_t d = 0; d < order.size(); ++d) x[d] = from[order[d]];
  const Loop<2> loop(shape, {x, strides_of(shape)});
  const bool woven = loop.inner >= 2 && loop.inner <= 4 && loop.step[0] != 1 && loop.rank > 0 &&
                     loop.strides[loop.rank - 1][0] == 1;
  if (!woven) return Refusal{"only two to four channels that become neighbours"};
  const std::size_t rows = loop.inner, columns = loop.sizes[loop.rank - 1];
  const std::size_t each = (columns + piece - 1) / piece, rounds = loop.rows / columns;
  const Cut c = cut(rounds * each, static_cast<double>(std::min(columns, piece) * rows));
  return Kernel{.name = "weave",
                .tiles = c.tiles(),
                .run = [=, x_row = static_cast<std::size_t>(loop.step[0])](
                           Range r, const Buffers& b, std::byte*) {
                  for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                    const std::size_t first = i / each * columns, column = i % each * piece;
                    loop.run(first, first + 1, [&](std::size_t, const auto& at) {
                      weave(b.in<float>() + at[0] + column, x_row, rows,
                            std::min(piece, columns - column),
                            b.out<float>() + at[1] + static_cast<std::ptrdiff_t>(column * rows));
                    });
                  }
                }};
}

}  // namespace webnn::simd
