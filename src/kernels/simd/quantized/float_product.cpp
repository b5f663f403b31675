#include "src/kernels/simd/quantized/float_product.h"

#include <array>
#include <cmath>

#include "src/kernels/common/checksum.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/scaled_sums.h"
#include "src/kernels/simd/vector/float32/epilogue.h"
#include "src/kernels/simd/vector/int8/float_gemm.h"
#include "src/kernels/simd/vector/int8/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

/// What is subtracted from unsigned integers so that they are signed bytes, and from those of 4
/// bits so that they have no zero point.
std::int32_t shift_of(const IntegerProduct& p, std::size_t column) {
  const auto bits = bits_of(p.w.dataType());
  if (bits == 4) return p.w_zero[p.w_zero.size() == 1 ? 0 : column];
  return p.w.dataType() == uint8 ? 128 : 0;
}
std::int32_t zero_of(const IntegerProduct& p, std::size_t column) {
  return p.w_zero[p.w_zero.size() == 1 ? 0 : column] - shift_of(p, column);
}

struct FloatBlocks {
  Int8Panels weights;
  std::size_t rows;
  FloatTail tail;
  Partition c{};

  void run(Range r, const Buffers& b, std::byte* scratch) const {
    Int8Gemm g = weights.gemm(b, scratch);
    g.x_stride = weights.segments * weights.k;
    for_row_blocks(c, r, rows, weights,
                   [&](std::size_t row, std::size_t count, int first, int last) {
                     tail.multiply(g, row, 0, count, first, last, tail.x(b) + row * g.x_stride, b);
                   });
  }
};

Lowering lower_gemm(const ops::gemm& op, IntegerProduct p, Int8DotProduct dot_product) {
  const auto& o = op.options;
  if (o.alpha != 1 || (o.c && o.beta != 1)) return Refusal{"integers: alpha or beta is not 1"};
  if (o.aTranspose) return Refusal{"integers: a is transposed"};
  const Dims& shape = op.b.shape();
  const bool transposed = o.bTranspose;
  const std::size_t k = shape[transposed ? 1 : 0], columns = p.columns;
  const auto read = [w = p.w, k, columns, transposed] {
    std::vector<std::int32_t> all = integers_of(w);
    if (transposed) return all;
    std::vector<std::int32_t> columns_first(all.size());
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < columns; ++j) columns_first[j * k + i] = all[i * columns + j];
    return columns_first;
  };
  auto made = float_product_weights(p, k, transposed ? " rows" : " columns", read);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
  const auto& weights = std::get<Int8Weights>(made);
  if (wasteful(weights, 1, 1)) return Refusal{"integers: too few columns"};
  return float_product(int8_panels(weights, 1, 1, dot_product, ColumnOrder::natural),
                       op.a.shape()[0], std::move(p), "int8 gemm");
}

/// What int8_float_gemm() does with its sums.
void follow(const FloatResult& result, std::size_t rows, std::size_t stride, std::size_t first,
            std::size_t last, float* y) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = first; c < last; ++c) {
      float v = y[r * stride + c];
      for (const FloatTerm& t : result.terms) {
        const float other = t.data[r * t.row + c * t.column];
        v = t.multiplies ? v * other : v + other;
      }
      if (result.clamps) v = v < result.lo ? result.lo : v > result.hi ? result.hi : v;
      y[r * stride + c] = v;
    }
}

}  // namespace

bool FloatTail::has_large_scale(const Buffers& b) const {
  for (const ProductTerm& t : p.terms) {
    if (!t.computed) continue;
    const float* const scales = b.in<float>(static_cast<std::size_t>(t.slot));
    const std::size_t count = t.shape == ProductTerm::Shape::number ? 1 : p.columns;
    for (std::size_t i = 0; i < count; ++i)
      if (!(std::abs(scales[i]) <= IntegerProduct::max_scale)) return true;
  }
  return false;
}

void FloatTail::compute(Int8Gemm g, std::size_t row, std::size_t column, std::size_t rows,
                        int first, int last, const std::uint8_t* from, const Buffers& b,
                        const std::uint8_t* inside, float* y) const {
  std::array<FloatTerm, IntegerProduct::max_terms> terms;
  ScalesOfProduct scales;
  std::size_t count = 0;
  const bool large = has_large_scale(b);
  for (const ProductTerm& t : p.terms) {
    FloatTerm to;
    to.data = t.slot < 0 ? t.values.data() : b.in<float>(static_cast<std::size_t>(t.slot));
    to.multiplies = t.multiplies;
    to.column = t.shape == ProductTerm::Shape::number ? 0 : 1;
    to.row = t.shape == ProductTerm::Shape::tensor ? p.columns : 0;
    to.data += row * to.row + column * to.column;
    if (!large || t.scale_of == ProductTerm::ScaleOf::neither) terms[count++] = to;
    else if (t.scale_of == ProductTerm::ScaleOf::left) scales.left = *to.data;
    else scales.right = to.data, scales.right_step = to.column;
  }
  const Epilogue& e = p.activation;
  const FloatResult result{.x_zero = zero(b) ^ flip(),
                           .terms = std::span(terms).first(count),
                           .clamps = e.activation == Activation::clamp,
                           .lo = e.lo,
                           .hi = e.hi};
  const std::size_t panel = 4 * to_size(int8_lanes()), begin = to_size(first) * panel;
  const std::size_t end = std::min(to_size(g.columns), to_size(last) * panel);
  if (large) {
    scaled_sums(g, scales, result.x_zero, rows, begin, end, from, inside, y);
    follow(result, rows, g.y_stride, begin, end, y);
  } else {
    int8_float_gemm(g, result, rows, first, last, from, y);
  }
  if (e.clamps()) return;
  activate(e, static_cast<int>(rows), end - begin, g.y_stride, y + begin);
}

void FloatTail::quantize(Int8Gemm g, std::size_t row, std::size_t column, std::size_t rows,
                         int first, int last, const std::uint8_t* from, const Buffers& b,
                         const std::uint8_t* inside) const {
  constexpr std::size_t some = 48, widest = 64;
  alignas(64) std::array<float, some * widest> floats;
  const std::size_t panel = 4 * to_size(int8_lanes());
  const auto all = to_size(g.columns);
  const Int8Result to{.zero = p.result->shifted_zero(), .flip = p.result->flip()};
  g.y_stride = panel;
  static_assert(2 * row_block(Int8DotProduct::instruction) <=
                some);  // the rows of several lines are short
  const std::size_t step = g.line_rows == 0 ? some : some / g.line_rows * g.line_rows;
  for (std::size_t r = 0; r < rows; r += step)
    for (auto i = to_size(first); i < to_size(last); ++i) {
      const std::size_t n = std::min(step, rows - r), begin = i * panel,
                        width = std::min(panel, all - begin);
      Int8Gemm one = g;  // of this panel alone
      one.w += begin * 4 * g.quads();
      one.bias += begin;
      if (one.w_zero) one.w_zero += begin;
      one.columns = static_cast<int>(all - begin);
      compute(one, row + r, column + begin, n, 0, 1, from + g.row_at(r), b,
              inside ? inside + r * g.x_stride : nullptr, floats.data());
      std::uint8_t* const y = b.out<std::uint8_t>() + (row + r) * p.columns + column + begin;
      for (std::size_t k = 0; k < n; ++k)
        int8_quantize(floats.data() + k * panel, width, p.result->scale[0], to, y + k * p.columns);
    }
}

void FloatTail::multiply(Int8Gemm g, std::size_t row, std::size_t column, std::size_t rows,
                         int first, int last, const std::uint8_t* from, const Buffers& b,
                         const std::uint8_t* inside) const {
  g.flip = flip();
  if (p.result) return quantize(g, row, column, rows, first, last, from, b, inside);
  g.y_stride = p.columns;
  compute(g, row, column, rows, first, last, from, b, inside,
          b.out<float>() + row * p.columns + column);
}

std::variant<Int8Weights, Refusal> float_product_weights(
    const IntegerProduct& p, std::size_t k, const std::string& order,
    const std::function<std::vector<std::int32_t>()>& read) {
  constexpr double max_sum = 2147483000.0, farthest = 255;
  const auto [low, high] = limits_of(p.w.dataType());
  bool asymmetric = false;
  for (std::size_t c = 0; c < p.w_zero.size(); ++c) {
    const double zero = p.w_zero[c];
    const double largest = std::max(std::abs(static_cast<double>(low) - zero),
                                    std::abs(static_cast<double>(high) - zero));
    if (!(static_cast<double>(k) * farthest * largest < max_sum))
      return Refusal{"integers: sums may exceed 32 bits"};
    asymmetric |= zero_of(p, c) != 0;
  }
  Checksum zeros;
  zeros.add(std::as_bytes(std::span(p.w_zero)));
  const std::size_t columns = p.columns;
  return Int8Weights{columns,
                     k,
                     asymmetric,
                     p.w_slot,
                     Requantization::floats,
                     order + layout_text("", columns, k, static_cast<int>(p.w.dataType()),
                                         p.w_zero.size(), zeros.value()),
                     [p, k, columns, read] {
                       const std::vector<std::int32_t> integers = read();
                       Int8Values values;
                       values.w.resize(integers.size());
                       values.of_column.resize(columns);
                       for (std::size_t c = 0; c < columns; ++c) {
                         const std::int32_t shift = shift_of(p, c), zero = zero_of(p, c);
                         std::int64_t sum = 0;
                         for (std::size_t i = c * k; i < (c + 1) * k; ++i) {
                           values.w[i] = static_cast<std::int8_t>(integers[i] - shift);
                           sum += values.w[i];
                         }
                         const std::int64_t fixed = static_cast<std::int64_t>(k) * zero - sum;
                         values.of_column[c] = {static_cast<std::int32_t>(fixed), zero, {}};
                       }
                       return values;
                     }};
}

std::string name_of(const IntegerProduct& p, std::string name) {
  return std::move(name) + (p.result ? "" : " to float32") + p.activation.text();
}

Candidate float_product(Int8Panels panels, std::size_t rows, IntegerProduct p, std::string name) {
  name = name_of(p, std::move(name));
  panels.choose_tiles(rows);
  return product_kernel(
      FloatBlocks{.weights = std::move(panels), .rows = rows, .tail = FloatTail(std::move(p))},
      std::move(name));
}

Lowering lower_float_product(Chain chain, Int8DotProduct dot_product,
                             const QuantizedChain* quantized) {
  auto parsed = integer_product(quantized ? chain.first(chain.size() - 1) : chain);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  auto& p = std::get<IntegerProduct>(parsed);
  if (quantized) p.result = quantized->result;
  const Node op = p.op;
  if (const auto* gemm = op.as<ops::gemm>()) return lower_gemm(*gemm, std::move(p), dot_product);
  if (const auto* matmul = op.as<ops::matmul>())
    return lower_float_matmul(*matmul, std::move(p), dot_product);
  if (const auto* conv = op.as<ops::conv2d>())
    return lower_float_convolution(*conv, std::move(p), dot_product);
  return Refusal{"integers: there is no kernel for this operator with a float result"};
}

}  // namespace webnn::inline v0_1::simd
