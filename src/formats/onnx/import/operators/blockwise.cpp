// Weights of 4 and 8 bits in blocks: dequantizeLinear and a product or a gather.
#include "src/formats/onnx/import/quantize.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The bytes of a constant as elements of another type and shape: two of 4 bits in a byte, the
/// first in the low half, as WebNN has them.
MLOperand reinterpreted(Call& c, const MLOperand& x, MLOperandDescriptor d, std::string_view what) {
  const Constant bytes = c.known(x, what);
  if (bytes.bytes().size() != byte_length(d))
    c.refuse(fail("{} has {} bytes, not those of {}", what, bytes.bytes().size(), d.shape));
  return c.b.constant(std::move(d), bytes);
}

/// Rows of zero points of 4 bits begin at a byte; WebNN's elements do not.
MLOperand zero_points(Call& c, const MLOperand& x, std::uint32_t rows, std::uint32_t columns) {
  const Constant constant = c.known(x, "the zero points");
  const auto bytes = constant.bytes();
  const std::size_t stride = (columns + 1) / 2;
  if (bytes.size() != rows * stride)
    c.refuse(fail("the zero points have {} bytes, not {}", bytes.size(), rows * stride));
  const std::uint64_t n = std::uint64_t{rows} * columns;
  c.spend((n + 1) / 2);
  const Block packed((n + 1) / 2);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t row = i / columns, column = i % columns;
    const auto v =
        std::to_integer<unsigned>(bytes[row * stride + column / 2]) >> (column % 2 * 4) & 15u;
    packed.bytes[i / 2] |= static_cast<std::byte>(v << (i % 2 * 4));
  }
  return c.b.constant({uint4, {rows, columns}}, packed.constant());
}

/// All elements 2 to the power of bits - 1.
MLOperand middle(Call& c, MLOperandDataType type, Dims shape) {
  if (type == uint8) return c.b.expand(c.scalar(uint8, 128), shape);
  const MLOperandDescriptor d{type, std::move(shape)};
  const std::uint64_t size = byte_length(d);
  c.spend(size);
  const Block block(size);
  std::fill(block.bytes.begin(), block.bytes.end(), std::byte{0x88});
  if (element_count(d.shape) % 2 != 0) block.bytes.back() = std::byte{0x08};
  return c.b.constant(d, block.constant());
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md: MatMulNBits
void matmul_n_bits(Call& c) {
  const MLOperand a = c.x(0), scales = c.x(2);
  const std::uint32_t k = c.dimension(c.integer("K", 0), "K");
  const std::uint32_t n = c.dimension(c.integer("N", 0), "N");
  const std::uint32_t block = c.dimension(c.integer("block_size", 0), "block_size");
  const std::int64_t bits = c.integer("bits", 4);
  c.ignore("accuracy_level");
  if (bits != 4 && bits != 8) c.unsupported(fail("weights of {} bits", bits));
  if (c.has(4)) c.unsupported("g_idx");
  if (block % 2 != 0 || a.rank() < 2 || Call::differ(Size::dimension(a, a.rank() - 1), k))
    c.refuse(fail("A has shape {}, K is {}, block_size {}", Call::shape_text(a), k, block));
  const std::uint32_t blocks = (k + block - 1) / block;
  const MLOperandDataType type = bits == 4 ? uint4 : uint8;
  if (std::uint64_t{n} * blocks * block > max_tensor_byte_length)
    c.refuse(fail("N {}, K {}", n, k));
  const MLOperand weights = reinterpreted(c, c.x(1), {type, {n, blocks * block}}, "the weights");
  MLOperand zero;
  if (!c.has(3)) zero = middle(c, type, {n, blocks});
  else if (c.x(3).dataType() != uint8) c.unsupported("zero points of floats");
  else if (bits == 8) zero = c.reshaped(c.x(3), {n, blocks});
  else zero = zero_points(c, c.x(3), n, blocks);
  MLOperand w = c.b.dequantizeLinear(weights, c.reshaped(scales, {n, blocks}), zero);
  if (blocks * block != k) w = c.sliced(w, 1, 0, k);
  SizeList result = formats::sizes_of(a);
  result.pop_back();
  const SizeList rows{product(result), k};
  result.push_back(n);
  MLGemmOptions o{.bTranspose = true, .label = c.label()};
  if (c.has(5)) o.c = c.x(5);
  c.put(c.reshaped(c.b.gemm(c.reshaped(a, rows), w, o), result));
}

/// That page has GatherBlockQuantized too.
void gather_block_quantized(Call& c) {
  MLOperand data = c.x(0);
  const MLOperand indices = c.x(1), scales = c.x(2);
  const std::int64_t bits = c.integer("bits", 4);
  const std::uint32_t axis = c.axis(c.integer("gather_axis", 0), data.rank());
  const std::uint32_t along = c.axis(c.integer("quantize_axis", 1), data.rank());
  const std::int64_t block = c.integer("block_size", 128);
  if (bits != 4 && bits != 8) c.unsupported(fail("data of {} bits", bits));
  const bool packed = data.dataType() == uint8;
  const bool last = along + 1 == data.rank();
  if (packed && bits == 4) {
    Dims shape = data.shape();
    if (!last || shape.back() > 0x3fffffff) c.unsupported("a quantize_axis that is not the last");
    shape.back() *= 2;
    data = reinterpreted(c, data, {uint4, shape}, "the data");
  }
  const std::uint32_t size = data.shape()[along];
  bool fits = scales.rank() == data.rank();
  for (std::uint32_t d = 0; fits && d < data.rank(); ++d)
    fits = d == along || scales.shape()[d] == data.shape()[d];
  if (!fits) c.refuse(fail("the scales have shape {}, the data {}", scales.shape(), data.shape()));
  MLOperand zero;
  if (c.has(3) && packed && bits == 4) {
    const std::uint32_t columns = scales.shape().back();
    const auto rows = static_cast<std::uint32_t>(element_count(scales.shape()) / columns);
    const MLOperand z = zero_points(c, c.x(3), rows, columns);
    zero = reinterpreted(c, z, {uint4, scales.shape()}, "the zero points");
  } else if (c.has(3)) {
    zero = c.x(3);
  } else if (packed) {
    zero = middle(c, data.dataType(), scales.shape());
  } else {
    const std::uint64_t size = byte_length({data.dataType(), scales.shape()});
    c.spend(size);
    zero = c.b.constant({data.dataType(), scales.shape()}, Block(size).constant());
  }
  const MLOperand table =
      c.b.dequantizeLinear(data, with_whole_blocks(c, scales, along, size, block),
                           with_whole_blocks(c, zero, along, size, block));
  c.put(c.b.gather(table, indices, {.axis = axis, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"GatherBlockQuantized", &gather_block_quantized, 1, 3, 4, 1, "4 and 8 bits; data is constant",
     "com.microsoft"},
    {"MatMulNBits", &matmul_n_bits, 1, 3, 6, 1,
     "4 and 8 bits; weights and zero points are constant; without g_idx", "com.microsoft"},
};

}  // namespace

std::span<const Handler> blockwise_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
