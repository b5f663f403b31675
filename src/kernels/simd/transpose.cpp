#include "src/kernels/simd/vector/float32/transpose.h"
#include "src/kernels/common/loop.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/gemm.h"

namespace webnn::simd {
namespace {

/// The result's innermost dimension has 2 to 4 elements, and the next ones are innermost in the
/// operand: images of few channels become nhwc.
Kernel weaving(const Loop<2>& loop) {
  constexpr std::size_t piece = 2048;  // columns
  const std::size_t rows = loop.inner, columns = loop.sizes[loop.rank - 1];
  const std::size_t each = (columns + piece - 1) / piece, rounds = loop.rows / columns;
  const Partition c =
      partition(rounds * each, static_cast<double>(std::min(columns, piece) * rows));
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

/// The dimension that is innermost in the operand and the one that is in the result; `outer` are
/// the others, in the operand and the result.
struct Turned {
  std::size_t columns, x_row, y_row;
  Loop<2> outer;
};
std::optional<Turned> turned_in(const Loop<2>& loop) {
  std::optional<std::size_t> down;
  for (std::size_t d = 0; d < loop.rank; ++d)
    if (loop.strides[d][0] == 1) down = d;
  if (!down || loop.step[0] == 1) return std::nullopt;
  Dims shape;
  std::array<std::array<std::ptrdiff_t, max_rank>, 2> strides{};
  for (std::size_t d = 0; d < loop.rank; ++d) {
    if (d == *down) continue;
    for (int t : {0, 1}) strides[t][shape.size()] = loop.strides[d][t];
    shape.push_back(static_cast<std::uint32_t>(loop.sizes[d]));
  }
  return Turned{.columns = loop.sizes[*down],
                .x_row = static_cast<std::size_t>(loop.step[0]),
                .y_row = static_cast<std::size_t>(loop.strides[*down][1]),
                .outer = Loop<2>(shape, strides)};
}

/// Strip beside strip through some rows before the next rows: their pages stay at hand. The strips
/// are cut where the operand's lines of the cache are: a strip across two of them reads each twice.
Kernel turning(const Turned& t, std::size_t rows) {
  const auto width = static_cast<std::size_t>(lanes());
  const std::size_t strips = t.columns / width + 2;  // wherever the first line ends
  const std::size_t blocks = (rows + turned_rows - 1) / turned_rows;
  const Partition c = partition(t.outer.rows * t.outer.inner * blocks * strips,
                                static_cast<double>(std::min(rows, turned_rows) * width));
  const auto run = [=](Range r, const Buffers& b, std::byte* scratch) {
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const std::size_t at = i / strips / blocks, row = i / strips % blocks * turned_rows;
      t.outer.run_elements(at, at + 1, [&](std::size_t, const auto& o, std::size_t) {
        const float* x = b.in<float>() + o[0];
        const std::size_t before = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % width;
        const std::size_t end = std::min((i % strips + 1) * width - before, t.columns);
        const std::size_t begin = i % strips ? i % strips * width - before : 0;
        if (begin >= end) return;
        turn(x + row * t.x_row + begin, t.x_row, std::min(turned_rows, rows - row), end - begin,
             b.out<float>() + o[1] + begin * t.y_row + row, t.y_row,
             reinterpret_cast<float*>(scratch));
      });
    }
  };
  return Kernel{.name = "turn", .tiles = c.tiles(), .scratch = turn_scratch(), .run = run};
}

}  // namespace

Lowering lower(const ops::transpose& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a transposition"};
  const auto order = ops::permutation_of(op);
  const Dims& shape = chain.front().output().shape();
  const auto from = strides_of(op.input.shape());
  std::array<std::ptrdiff_t, max_rank> x{};
  for (std::size_t d = 0; d < order.size(); ++d) x[d] = from[order[d]];
  const Loop<2> loop(shape, {x, strides_of(shape)});
  if (loop.inner >= 2 && loop.inner <= 4 && loop.step[0] != 1 && loop.rank > 0 &&
      loop.strides[loop.rank - 1][0] == 1)
    return weaving(loop);
  constexpr std::size_t least = 8;  // fewer neighbors would waste most of a vector
  if (const auto t = turned_in(loop); t && loop.inner >= least && t->columns >= least)
    return turning(*t, loop.inner);
  return Refusal{"too few neighbors change places"};
}

}  // namespace webnn::simd
