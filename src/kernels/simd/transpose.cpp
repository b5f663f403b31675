#include "src/kernels/simd/vector/float32/transpose.h"
#include "src/kernels/common/loop.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/kernels/simd/vector/int8/transpose.h"

namespace webnn::inline v0_1::simd {
namespace {

/// For a result whose innermost dimension has 2 to 4 elements and whose next dimensions are
/// innermost in the operand: images of few channels become nhwc.
Candidate interleave_kernel(const Loop<2>& loop) {
  constexpr std::size_t piece = 2048;  // columns
  const std::size_t rows = loop.inner, columns = loop.sizes[loop.rank - 1];
  const std::size_t each = (columns + piece - 1) / piece, rounds = loop.rows / columns;
  const Partition c =
      partition(rounds * each, static_cast<double>(std::min(columns, piece) * rows));
  return Candidate{.name = "transpose interleave",
                   .tiles = c.tiles(),
                   .run = [=, x_row = static_cast<std::size_t>(loop.step[0])](
                              Range r, const Buffers& b, std::byte*) {
                     for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                       const std::size_t first = i / each * columns, column = i % each * piece;
                       loop.run(first, first + 1, [&](std::size_t, const auto& at) {
                         interleave(
                             b.in<float>() + at[0] + column, x_row, rows,
                             std::min(piece, columns - column),
                             b.out<float>() + at[1] + static_cast<std::ptrdiff_t>(column * rows));
                       });
                     }
                   }};
}

/// The innermost dimension of the operand (`columns`) and that of the result; `outer` are the
/// others.
struct Transposition {
  std::size_t columns, x_row, y_row;
  Loop<2> outer;
};
std::optional<Transposition> transposition_of(const Loop<2>& loop) {
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
  return Transposition{.columns = loop.sizes[*down],
                       .x_row = static_cast<std::size_t>(loop.step[0]),
                       .y_row = static_cast<std::size_t>(loop.strides[*down][1]),
                       .outer = Loop<2>(shape, strides)};
}

/// All strips of a block of rows before the next rows, so that their pages stay in the TLB. Strips
/// begin at the operand's cache lines: an unaligned strip would read each line twice.
Candidate transpose_kernel(const Transposition& t, std::size_t rows) {
  const auto width = static_cast<std::size_t>(lanes());
  const std::size_t strips = t.columns / width + 2;  // for any alignment of the operand
  const std::size_t blocks = (rows + max_transpose_rows - 1) / max_transpose_rows;
  const Partition c = partition(t.outer.rows * t.outer.inner * blocks * strips,
                                static_cast<double>(std::min(rows, max_transpose_rows) * width));
  const auto run = [=](Range r, const Buffers& b, std::byte* scratch) {
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const std::size_t at = i / strips / blocks, row = i / strips % blocks * max_transpose_rows;
      t.outer.run_elements(at, at + 1, [&](std::size_t, const auto& o, std::size_t) {
        const float* x = b.in<float>() + o[0];
        const std::size_t before = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % width;
        const std::size_t end = std::min((i % strips + 1) * width - before, t.columns);
        const std::size_t begin = i % strips ? i % strips * width - before : 0;
        if (begin >= end) return;
        transpose_rows(x + row * t.x_row + begin, t.x_row, std::min(max_transpose_rows, rows - row),
                       end - begin, b.out<float>() + o[1] + begin * t.y_row + row, t.y_row,
                       reinterpret_cast<float*>(scratch));
      });
    }
  };
  return Candidate{
      .name = "transpose", .tiles = c.tiles(), .scratch = transpose_scratch(), .run = run};
}

/// The same of bytes, some columns at a time.
Candidate transpose_bytes_kernel(const Transposition& t, std::size_t rows) {
  constexpr std::size_t piece = 256;
  const std::size_t pieces = (t.columns + piece - 1) / piece;
  const Partition c = partition(t.outer.rows * t.outer.inner * pieces,
                                static_cast<double>(rows * std::min(t.columns, piece)) / 4);
  const auto run = [=](Range r, const Buffers& b, std::byte*) {
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const std::size_t at = i / pieces, begin = i % pieces * piece;
      t.outer.run_elements(at, at + 1, [&](std::size_t, const auto& o, std::size_t) {
        int8_transpose(b.in<std::uint8_t>() + o[0] + begin, t.x_row, rows,
                       std::min(piece, t.columns - begin),
                       b.out<std::uint8_t>() + o[1] + begin * t.y_row, t.y_row);
      });
    }
  };
  return Candidate{.name = "int8 transpose", .tiles = c.tiles(), .run = run};
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
  if (bits_of(op.input.dataType()) == 8) {
    constexpr std::size_t min_run = 16;
    const auto t = transposition_of(loop);
    const bool interleaves = t && loop.inner >= 2 && loop.inner <= 4 && t->y_row == loop.inner;
    if (interleaves || (t && loop.inner >= min_run && t->columns >= min_run))
      return transpose_bytes_kernel(*t, loop.inner);
    return Refusal{"too few contiguous elements"};
  }
  if (loop.inner >= 2 && loop.inner <= 4 && loop.step[0] != 1 && loop.rank > 0 &&
      loop.strides[loop.rank - 1][0] == 1)
    return interleave_kernel(loop);
  constexpr std::size_t min_run = 8;  // fewer elements would waste most of a vector
  if (const auto t = transposition_of(loop); t && loop.inner >= min_run && t->columns >= min_run)
    return transpose_kernel(*t, loop.inner);
  return Refusal{"too few contiguous elements"};
}

}  // namespace webnn::inline v0_1::simd
