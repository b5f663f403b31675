// Chains of quantized operators.
#include "tests/random/quantized_operands.h"

namespace webnn::inline v0_1::test {
namespace {

MLOperand activated(Generator& g, const MLOperand& x) {
  switch (g.between(0, 7)) {
    case 0: return g.append(ops::relu{x});
    case 1: return g.append(ops::clamp{x, {.minValue = 0, .maxValue = 6}});
    case 2: return g.append(ops::clamp{x, {.minValue = -2.3, .maxValue = 9.1}});
    default: return x;
  }
}

MLOperand maybe_transposed(Generator& g, const MLOperand& x) {
  if (!g.chance(0.12)) return x;
  return g.append(
      ops::transpose{x, {.permutation = OptionalList<std::uint32_t>(g.permutation(x.rank()))}});
}

/// Quantized, or floats with a factor, a summand and an activation.
void finish_product(Generator& g, MLOperand y, std::uint32_t column) {
  if (g.chance(0.65)) {
    quantized(g, maybe_transposed(g, activated(g, y)), small_type(g));
    return;
  }
  Dims each(y.rank(), 1);
  if (g.chance(0.6)) each[column] = y.shape()[column];
  const auto operand = [&](const Dims& shape) {
    const Tensor t = g.tensor(float32, shape);
    return g.chance(0.5) ? g.constant(t) : g.input(t);
  };
  if (g.chance(0.7)) y = g.append(ops::mul{y, operand(each)}, 12);
  if (g.chance(0.6)) y = g.append(ops::add{operand(g.chance(0.3) ? y.shape() : each), y}, 12);
  activated(g, y);
}

/// In either order.
template <class Op> MLOperand combined(Generator& g, const MLOperand& a, const MLOperand& b) {
  return g.chance(0.5) ? g.append(Op{a, b}) : g.append(Op{b, a});
}

/// The bytes of a tensor, with the scale and the zero point of its range.
void dynamic_quantization(Generator& g) {
  const MLOperand x = g.leaf(float32, g.shape({2, 3}), {-3, 4});
  const auto number = [&](double v) { return g.constant(filled(float32, {}, v)); };
  const MLOperand zero = number(0);
  const MLOperand high = combined<ops::max>(g, g.append(ops::reduceMax{x}), zero),
                  low = combined<ops::min>(g, g.append(ops::reduceMin{x}), zero);
  const MLOperand range = g.append(ops::sub{high, low});
  MLOperand scale = g.append(ops::div{range, number(255)});
  if (g.chance(0.8))
    scale = g.append(ops::where{combined<ops::equal>(g, range, zero), number(1), scale});
  const MLOperand place = g.append(
      ops::clamp{g.append(ops::roundEven{g.append(ops::neg{g.append(ops::div{low, scale})})}),
                 {.minValue = 0, .maxValue = 255}});
  const MLOperand zero_point = g.append(ops::cast{place, uint8});
  const Dims ones(x.rank(), 1);
  const MLOperand shaped = g.append(ops::reshape{zero_point, ones});
  MLOperand y;
  if (g.chance(0.3)) {
    y = g.append(ops::quantizeLinear{x, g.append(ops::reshape{scale, ones}), shaped});
  } else {
    const MLOperand quotient = g.append(ops::roundEven{g.append(ops::div{x, scale})});
    const MLOperand sum = combined<ops::add>(g, quotient, g.append(ops::cast{shaped, float32}));
    y = g.append(ops::cast{g.append(ops::clamp{sum, {.minValue = 0, .maxValue = 255}}), uint8});
  }
  const MLOperand real =
      g.append(ops::dequantizeLinear{y, g.constant(filled(float32, ones, 1)), shaped}, 6);
  const std::uint32_t depth = x.shape().back(), columns = g.between(1, 9);
  const MLOperand sum = g.append(ops::matmul{real, weights(g, {depth, columns}, 1)}, 10);
  activated(g, g.append(ops::mul{sum, scale}, 12));
}

void quantized_convolution(Generator& g) {
  using enum MLConv2dFilterOperandLayout;
  MLOperand x = maybe_transposed(g, dequantized(g, quantized_operand(g, {4, 4}), true));
  if (x.dataType() != float32) x = g.append(ops::cast{x, float32});
  const Image i{x, g.chance(0.5)};
  const Convolution c = random_convolution(g, i);
  auto [shape, o] = random_filter(g, i, c);
  if (g.chance(0.6)) {
    const Parameters p{g.constant(g.tensor(float32, {1}, scales(g))),
                       g.constant(filled(int32, {1}, 0))};
    o.bias = dequantized(g, integers(g, int32, {c.outputs}, true), p);
  }
  const std::uint32_t axis = o.filterLayout == oihw || o.filterLayout == ohwi ? 0 : 3;
  const MLOperand y = g.append(ops::conv2d{x, weights(g, shape, axis), o}, 10);
  finish_product(g, y, o.inputLayout == MLInputOperandLayout::nhwc ? 3 : 1);
}

/// Matrices on the right that differ from batch to batch, which are constant or computed.
void quantized_matrices(Generator& g) {
  const auto as_float32 = [&](const MLOperand& x) {
    return x.dataType() == float32 ? x : g.append(ops::cast{x, float32});
  };
  const MLOperand x = as_float32(dequantized(g, quantized_operand(g, {3, 4}), true));
  const std::uint32_t last = x.rank() - 1;
  Dims shape = x.shape();
  shape[last - 1] = x.shape()[last];
  shape[last] = g.between(1, 40);
  if (g.chance(0.3)) shape[0] = 1;
  const MLOperand w = g.chance(0.5)
                          ? weights(g, shape, last)
                          : dequantized(g, integers(g, small_type(g), shape, false), true);
  finish_product(g, g.append(ops::matmul{x, as_float32(w)}, 10), last);
}

void quantized_product(Generator& g) {
  if (g.chance(0.3)) return quantized_matrices(g);
  MLOperand x = dequantized(g, quantized_operand(g, {2, 3}), true);
  if (x.dataType() != float32) x = g.append(ops::cast{x, float32});
  const std::uint32_t depth = x.shape().back(), columns = g.between(1, 9);
  MLOperand y;
  if (x.rank() == 2 && g.chance(0.5)) {
    const bool turned = g.chance(0.5);
    const Dims shape = turned ? Dims{columns, depth} : Dims{depth, columns};
    ops::gemm op{x, weights(g, shape, turned ? 0 : 1), {.bTranspose = turned}};
    if (g.chance(0.4)) op.options.c = g.constant(g.tensor(float32, {columns}));
    y = g.append(op, 10);
  } else {
    const bool turned = g.chance(0.25);
    MLOperand w = weights(g, turned ? Dims{columns, depth} : Dims{depth, columns}, turned ? 0 : 1);
    if (turned) w = g.append(ops::transpose{w});
    y = g.append(ops::matmul{x, w}, 10);
  }
  finish_product(g, y, y.rank() - 1);
}

/// A convolution of floats with a filter that kernels may read as it is stored.
void small_filter(Generator& g) {
  constexpr std::uint32_t inputs = 208, outputs = 36, size = 3;
  const bool input_first = g.chance(0.5);
  const Dims shape =
      input_first ? Dims{inputs, size, size, outputs} : Dims{outputs, inputs, size, size};
  const MLOperandDataType type = g.one_of({int4, uint4, int8, uint8});
  Dims each(4, 1);
  if (g.chance(0.8)) each[input_first ? 3 : 0] = outputs;
  if (g.chance(0.6)) each[input_first ? 0 : 1] = g.one_of({2u, 13u});
  if (g.chance(0.2)) each[input_first ? 1 : 2] = size;
  const Parameters p = parameters(g, type, float32, each);
  const std::uint32_t image = g.between(1, 3), padding = g.between(1, 2);
  using enum MLConv2dFilterOperandLayout;
  ops::conv2d op{g.like(float32, {1, inputs, image, image}),
                 dequantized(g, integers(g, type, shape, true), p),
                 {.padding = {padding, padding, padding, 1},
                  .strides = {g.between(1, 2), 1},
                  .filterLayout = input_first ? ihwo : oihw}};
  if (g.chance(0.4)) op.options.bias = g.constant(g.tensor(float32, {outputs}));
  activated(g, g.append(op, 18));
}

/// A product of floats with weights that kernels may read as they are stored, or rows of these.
void small_weights(Generator& g) {
  if (g.chance(0.25)) return small_filter(g);
  const std::uint32_t depth = g.one_of({64u, 96u, 150u}), columns = g.between(64, 80);
  const bool turned = g.chance(0.3);
  const Dims shape = turned ? Dims{columns, depth} : Dims{depth, columns};
  MLOperand w;
  if (g.chance(0.25)) {
    const auto type = g.one_of({float16, bfloat16, float8e4m3});
    w = g.append(ops::cast{g.constant(g.tensor(type, shape)), float32});
  } else {
    const MLOperandDataType type = g.one_of({int4, uint4, int8, uint8, float8e4m3});
    Dims each(2, 1);
    if (g.chance(0.8)) each[turned ? 0 : 1] = columns;
    if (g.chance(0.6)) each[turned ? 1 : 0] = g.chance(0.5) ? 2 : depth == 150 ? 6 : depth / 16;
    const bool rounds = type != float8e4m3 && g.chance(0.25);
    const Parameters p = parameters(g, type, rounds ? float16 : float32, each);
    w = dequantized(g, integers(g, type, shape, true), p);
    if (rounds) w = g.append(ops::cast{w, float32});
  }
  const MLOperand x = g.like(float32, {g.one_of({1u, 1u, 3u}), depth});
  ops::gemm op{x, w, {.bTranspose = turned}};
  if (g.chance(0.3)) op.options.alpha = -0.5;
  if (g.chance(0.4)) op.options.c = g.constant(g.tensor(float32, {columns}));
  activated(g, g.append(op, 14));
  if (g.chance(0.2)) g.append(ops::gather{w, g.constant(g.tensor(int32, {3}, {-5, 70}))}, 6);
  if (g.chance(0.3))
    g.append(ops::matmul{g.append(ops::neg{x}), turned ? g.append(ops::transpose{w}) : w}, 14);
}

void quantized_sum(Generator& g) {
  const MLOperand a = quantized_operand(g, {0, 5});
  MLOperand x = dequantized(g, a, true), y;
  const MLOperand z =
      g.chance(0.15)  ? x
      : g.chance(0.1) ? g.constant(g.tensor(x.dataType(), {}, {-1, 1}))
                      : dequantized(g, integers(g, small_type(g), a.shape(), g.chance(0.3)), true);
  if (z.dataType() != x.dataType()) x = g.append(ops::cast{x, z.dataType()});
  switch (g.between(0, 4)) {
    case 0:
    case 1: y = g.append(ops::add{x, z}, 7); break;
    case 2: y = g.append(ops::sub{x, z}, 7); break;
    case 3: y = g.append(ops::mul{x, z}, 12); break;
    default: y = g.append(ops::max{x, z}, 6);
  }
  quantized(g, activated(g, y), small_type(g));
}

void quantized_function(Generator& g) {
  MLOperand x = dequantized(g, quantized_operand(g, {1, 4}), g.chance(0.8));
  if (g.chance(0.15))
    x = g.append(ops::reshape{x, {1, static_cast<std::uint32_t>(element_count(x.shape()))}});
  const std::uint32_t last = x.rank() - 1;
  MLOperand y;
  switch (g.between(0, 11)) {
    case 0: y = g.append(ops::relu{x}); break;
    case 1: y = g.append(ops::sigmoid{x}, 0); break;
    case 2: y = g.append(ops::tanh{x}, 0); break;
    case 3: y = g.append(ops::hardSwish{x}); break;
    case 4: y = g.append(ops::leakyRelu{x, {.alpha = 0.2}}); break;
    case 5: y = g.append(ops::softmax{x, last}, 0); break;
    case 6:
      y = g.append(ops::reduceMean{x, {.axes = {last}, .keepDimensions = g.chance(0.5)}});
      break;
    case 7: y = g.append(ops::neg{x}); break;
    case 8: y = g.append(ops::gelu{x}); break;
    case 9: y = g.append(ops::exp{g.tamed(x, 2)}, 5); break;
    case 10: y = g.append(ops::elu{x}); break;
    default: y = x;
  }
  quantized(g, y, small_type(g));
}

/// With another number for each channel.
void quantized_channels(Generator& g) {
  const MLOperand x = dequantized(g, quantized_operand(g, {1, 4}), true);
  const auto type = x.dataType();
  const std::uint32_t axis = g.between(0, x.rank() - 1);
  const Dims channels{x.shape()[axis]};
  MLOperand y;
  if (g.chance(0.5)) {
    Dims shape(x.rank(), 1);
    shape[axis] = channels[0];
    y = g.append(ops::prelu{x, g.constant(g.tensor(type, shape, {-1, 2}))}, g.magnitude(x) + 1);
  } else {
    ops::batchNormalization op{x, g.constant(g.tensor(type, channels, {-1, 1})),
                               g.constant(g.tensor(type, channels, {0.3, 2}))};
    op.options.axis = axis;
    if (g.chance(0.6)) op.options.scale = g.constant(g.tensor(type, channels, {-1, 1}));
    if (g.chance(0.6)) op.options.bias = g.constant(g.tensor(type, channels, {-1, 1}));
    y = g.append(op, g.magnitude(x) + 2);
  }
  quantized(g, activated(g, y), small_type(g));
}

void quantized_transposed_convolution(Generator& g) {
  using enum MLConvTranspose2dFilterOperandLayout;
  MLOperand x = dequantized(g, quantized_operand(g, {4, 4}), true);
  if (x.dataType() != float32) x = g.append(ops::cast{x, float32});
  const Image i{x, g.chance(0.5)};
  const std::uint32_t in = i.channels(), out = g.between(1, 5), h = g.between(1, 4),
                      w = g.between(1, 4);
  const auto layout = g.one_of({iohw, hwoi, ohwi});
  const Dims shape = layout == iohw   ? Dims{in, out, h, w}
                     : layout == hwoi ? Dims{h, w, out, in}
                                      : Dims{out, h, w, in};
  MLConvTranspose2dOptions o{.strides = {g.between(1, h), g.between(1, w)},
                             .inputLayout = i.layout(),
                             .filterLayout = layout};
  if (g.chance(0.5)) o.padding = {0, (h - 1) / 2, (w - 1) / 2, 0};
  const std::uint32_t high = (i.height() - 1) * o.strides[0] + h - o.padding[1],
                      wide = (i.width() - 1) * o.strides[1] + w - o.padding[2];
  if (!g.fits({i.x.shape()[0], high, wide, out})) return;
  const std::uint32_t axis = layout == iohw ? 1 : layout == hwoi ? 2 : 0;
  quantized(g, activated(g, g.append(ops::convTranspose2d{x, weights(g, shape, axis), o}, 10)),
            small_type(g));
}

void quantized_pool(Generator& g) {
  MLOperand x = dequantized(g, quantized_operand(g, {4, 4}), true);
  const bool nhwc = g.chance(0.5);
  MLPool2dOptions o{.windowDimensions = {2, 2},
                    .padding = {1, 1, 1, 1},
                    .strides = {g.between(1, 2), g.between(1, 2)},
                    .layout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw};
  if (g.chance(0.3)) o.windowDimensions = std::nullopt, o.padding = {0, 0, 0, 0};
  const MLOperand y =
      g.chance(0.5) ? g.append(ops::maxPool2d{x, o}) : g.append(ops::averagePool2d{x, o});
  quantized(g, y, small_type(g));
}

void quantized_movement(Generator& g) {
  const MLOperand from = quantized_operand(g, {1, 4});
  const Parameters p = parameters(g, from.dataType(), float32, Dims(from.rank(), 1));
  const MLOperand x = dequantized(g, from, p);
  const std::uint32_t rank = x.rank();
  MLOperand y;
  switch (g.between(0, 5)) {
    case 0: y = g.append(ops::concat{{x, x}, rank - 1}); break;
    case 1: y = g.append(ops::pad{x, Dims(rank, 0), Dims(rank, 1)}); break;
    case 2: y = g.append(ops::concat{{x, g.append(ops::relu{x})}, 0}); break;
    case 3:
      y = g.append(
          ops::transpose{x, {.permutation = OptionalList<std::uint32_t>(g.permutation(rank))}});
      break;
    case 4: y = g.append(ops::reverse{x}); break;
    default: y = g.append(ops::reshape{x, {static_cast<std::uint32_t>(element_count(x.shape()))}});
  }
  if (!g.fits(y.shape())) return;
  if (g.chance(0.5) && y.rank() == rank) {
    g.append(ops::quantizeLinear{y, p.scale, p.zero}, 7);
    return;
  }
  quantized(g, y, small_type(g));
}

}  // namespace

void generate_quantized(Generator& g) {
  switch (g.between(0, 13)) {
    case 13: return quantized_transposed_convolution(g);
    case 12: return quantized_channels(g);
    case 11: return dynamic_quantization(g);
    case 10: return small_weights(g);
    case 0:
    case 1:
    case 2: return quantized_convolution(g);
    case 3:
    case 4: return quantized_product(g);
    case 5:
    case 6: return quantized_sum(g);
    case 7: return quantized_function(g);
    case 8: return quantized_pool(g);
    default: return quantized_movement(g);
  }
}

}  // namespace webnn::inline v0_1::test
