// Products with weights in panels, of several operators.
#pragma once

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/weights.h"
#include "src/kernels/simd/vector/int8/gemm.h"

namespace webnn::inline v0_1::simd {

/// Multiplications and additions of bytes in the time of one operation as partition() counts them.
constexpr double int8_macs_per_operation(Int8DotProduct d) { return are_tiles(d) ? 32 : 8; }

/// The rows of a block of the result.
constexpr std::size_t row_block(Int8DotProduct d) { return are_tiles(d) ? 32 : 24; }

/// The order of the columns of a panel: as results of bytes are packed, or their own.
enum class ColumnOrder { interleaved, natural };

/// Weights of one or more groups of columns, each with segments of k bytes.
struct Int8Panels {
  std::size_t groups = 1, columns = 0, segments = 1, k = 0;  ///< of each group
  bool asymmetric = false;
  Int8DotProduct dot_product{};
  std::vector<std::size_t> offsets{};
  ColumnArrays arrays{};  ///< of all groups, at the beginning of the block; the panels follow
  std::vector<WeightBlock> weights{};
  PackedArray<std::byte> block{};
  StagedRows staged{};  ///< where dot_product says tiles

  std::size_t vectors() const;
  int panels() const { return static_cast<int>((vectors() + 3) / 4); }
  std::size_t group_bytes() const;
  std::size_t quads() const { return segments * divide_up(k, std::size_t{4}); }
  /// Keeps tiles, if there are any, where they are likely faster for calls of so many rows.
  void choose_tiles(std::size_t rows);
  /// What is appended to the name of a kernel.
  std::string_view text() const { return are_tiles(dot_product) ? " amx" : ""; }
  /// Bytes of scratch for a call.
  std::size_t scratch() const { return are_tiles(dot_product) ? staged.bytes() : 0; }
  /// The product of a group, without the members that depend on x and y.
  Int8Gemm gemm(const Buffers& b, std::byte* scratch, std::size_t group = 0) const;
};
/// Whether the panels would be large and mostly padding, to whole vectors of columns and quads of
/// terms.
bool wasteful(const Int8Weights& weights, std::size_t groups, std::size_t segments);
Int8Panels int8_panels(const Int8Weights& weights, std::size_t groups, std::size_t segments,
                       Int8DotProduct dot_product, ColumnOrder order = ColumnOrder::interleaved);

/// f(row, rows, first panel, the one behind the last) for a range of blocks of rows times panels of
/// columns, panels first.
template <class F>
void for_row_blocks(const Partition& c, Range r, std::size_t rows, const Int8Panels& weights, F f) {
  const std::size_t end = c.end(r), panels = to_size(weights.panels()),
                    block = row_block(weights.dot_product);
  for (std::size_t i = c.begin(r); i < end;) {
    const std::size_t first = i % panels, row = i / panels * block;
    std::size_t last = std::min(panels, first + (end - i)), here = 1;
    if (first == 0 && last == panels) here = (end - i) / panels;  // whole blocks at once
    i += here * (last - first);
    f(row, std::min(rows - row, here * block), static_cast<int>(first), static_cast<int>(last));
  }
}

/// A kernel of blocks of rows times panels of columns, which follow one another: `work` has the
/// weights, the rows and the partition, which is made here, and run(range, buffers, scratch).
template <class Work> Candidate product_kernel(Work work, std::string name) {
  const Int8Panels& panels = work.weights;
  const std::size_t block = row_block(panels.dot_product), scratch = panels.scratch();
  const double macs = static_cast<double>(block) * static_cast<double>(panels.k * panels.segments) *
                      static_cast<double>(std::min(panels.columns, 4 * to_size(int8_lanes())));
  work.c = partition(divide_up(work.rows, block) * to_size(panels.panels()),
                     macs / int8_macs_per_operation(panels.dot_product));
  name += panels.text();
  const int tiles = work.c.tiles();
  std::vector<WeightBlock> weights = std::exchange(work.weights.weights, {});
  return Candidate{
      .name = std::move(name),
      .tiles = tiles,
      .scratch = scratch,
      .weights = std::move(weights),
      .run = [work = std::make_shared<const Work>(std::move(work))](
                 Range r, const Buffers& b, std::byte* memory) { work->run(r, b, memory); }};
}

/// y[row] = x[row] * w for `rows` rows that follow one another.
Candidate int8_product(Int8Panels panels, std::size_t rows, std::uint8_t flip, int slot,
                       const Int8Result& result, std::string name);

}  // namespace webnn::inline v0_1::simd
