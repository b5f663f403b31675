// Products of matrices with constant integers, which differ from batch to batch.
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/quantized/float_product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// Each batch has whole blocks of rows, of which the last one may be shorter.
struct BatchBlocks {
  Int8Panels weights;
  Batches batches;
  std::size_t rows, matrix_rows;  // of all blocks; of a batch
  FloatTail tail;
  Partition c{};

  void run(Range r, const Buffers& b, std::byte* scratch) const {
    const std::size_t padded = round_up(matrix_rows, row_block(weights.dot_product));
    for_row_blocks(
        c, r, rows, weights, [&](std::size_t row, std::size_t count, int first, int last) {
          const std::size_t end = row + count;
          for (std::size_t at = row; at < end; at = (at / padded + 1) * padded) {
            const std::size_t begin = at % padded, stop = std::min(matrix_rows, begin + end - at);
            multiply(at / padded, begin, stop - begin, first, last, b, scratch);
          }
        });
  }

 private:
  void multiply(std::size_t batch, std::size_t row, std::size_t count, int first, int last,
                const Buffers& b, std::byte* scratch) const {
    const auto at = batches[batch];
    Int8Gemm g = weights.gemm(b, scratch, at.b);
    g.x_stride = weights.k;
    tail.multiply(g, batch * matrix_rows + row, 0, count, first, last,
                  tail.x(b) + (at.a * matrix_rows + row) * weights.k, b);
  }
};

/// [matrices][k][columns] as [matrices][columns][k].
std::vector<std::int32_t> columns_first(const MLOperand& w, std::size_t k, std::size_t columns) {
  const std::vector<std::int32_t> all = integers_of(w);
  std::vector<std::int32_t> to(all.size());
  for (std::size_t first = 0; first < all.size(); first += k * columns)
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        to[first + j * k + i] = all[first + i * columns + j];
  return to;
}

}  // namespace

Lowering lower_float_matmul(const ops::matmul& op, IntegerProduct p, Int8DotProduct dot_product) {
  const Dims &a = op.a.shape(), &w = op.b.shape(), &y = p.op.output().shape();
  const std::size_t k = a.back(), columns = p.columns, matrices = element_count(w) / (k * columns);
  IntegerProduct all = p;  // the columns of all matrices
  all.columns = matrices * columns;
  if (p.w_zero.size() > 1)
    for (std::size_t i = 1; i < matrices; ++i)
      all.w_zero.insert(all.w_zero.end(), p.w_zero.begin(), p.w_zero.end());
  const auto read = [w = p.w, k, columns] { return columns_first(w, k, columns); };
  auto made =
      float_product_weights(all, k, " columns of each of " + std::to_string(matrices), read);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  const auto& weights = std::get<Int8Weights>(made);
  if (wasteful(weights, matrices, 1)) return Refusal{"integers: too few columns"};
  const Batches batches = batches_of(Dims(y.begin(), y.end() - 2), a, w);
  const std::size_t rows = y.end()[-2];
  std::string name = name_of(p, "int8 matmul");
  Int8Panels panels = int8_panels(weights, matrices, 1, dot_product, ColumnOrder::natural);
  panels.choose_tiles(rows);
  const std::size_t padded = round_up(rows, row_block(panels.dot_product));
  return product_kernel(BatchBlocks{.weights = std::move(panels),
                                    .batches = batches,
                                    .rows = batches.count * padded,
                                    .matrix_rows = rows,
                                    .tail = FloatTail(std::move(p))},
                        std::move(name));
}

}  // namespace webnn::inline v0_1::simd
