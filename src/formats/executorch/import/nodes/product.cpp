// FullyConnected, BatchMatrixMultiply, ScaledDotProductAttention and Rope.
#include "src/formats/executorch/import/product.h"

#include <algorithm>

namespace webnn::inline v0_1::executorch {

Factors factors_of(const NodeCall& c, std::uint32_t x, std::uint32_t filter, std::uint64_t rows) {
  const auto row_scale = c.row_scale(x);
  if (!row_scale || element_count(row_scale->shape()) != rows) {
    const MLOperand numbers = c.numbers(x);
    return {numbers, c.converted(c.numbers(filter), numbers)};
  }
  Factors f{c.stored(x), {}, row_scale};
  const ValueInfo& v = c.info(filter);
  if (!v.scales || v.scales->group > 0) {
    f.filter = c.numbers(filter);
    return f;
  }
  // Its elements without their scale.
  const MLOperand w = c.stored(filter);
  if (w.dataType() == int8 && v.scales->zero == 0) {
    f.filter = c.b.cast(w, float32);
  } else {
    const Dims ones(w.rank(), 1);
    const std::size_t unit = static_cast<std::size_t>(std::max(8, bits_of(w.dataType()))) / 8;
    std::vector<std::byte> zero(unit);
    for (std::size_t i = 0; i < unit; ++i)
      zero[i] = static_cast<std::byte>(static_cast<std::uint32_t>(v.scales->zero) >> (8 * i));
    f.filter = c.b.dequantizeLinear(w, c.b.constant({float32, ones}, {1.0f}),
                                    c.b.constant({w.dataType(), ones}, zero));
  }
  f.filter_scale = c.b.constant({float32, {v.scales->count}}, v.scales->scale);
  return f;
}

MLOperand rescaled(const NodeCall& c, const Factors& f, MLOperand y,
                   const std::optional<MLOperand>& bias) {
  if (!f.scale) return y;
  Dims shape(y.rank(), 1);
  const std::uint64_t rows = element_count(f.scale->shape());
  std::uint64_t outer = 1;
  for (std::size_t d = 0; d + 1 < shape.size() && outer < rows; ++d)
    outer *= shape[d] = y.shape()[d];
  if (outer != rows)
    c.refuse(fail("its input has {} scales, but its result has shape {}", rows, y.shape()));
  MLOperand scale = c.reshaped(*f.scale, shape);
  if (f.filter_scale) scale = c.b.mul(scale, *f.filter_scale);
  y = c.b.mul(y, scale);
  return bias ? c.b.add(y, c.converted(*bias, y)) : y;
}

namespace {

using Kind = xnn::NodeUnion;

/// Rows of the last dimension by a filter [outputs, inputs].
void fully_connected(NodeCall& c) {
  const auto& t = c.table<xnn::NodeFullyConnected>();
  c.check_flags(t.flags(), transpose_weights | reshape_to_2d | float32_weights);
  const MLOperand filter = c.stored(t.filter_id());
  c.require_rank(filter, 2);
  const bool transposed = t.flags() & transpose_weights;
  const std::uint32_t depth = filter.shape()[transposed ? 0 : 1],
                      outputs = filter.shape()[transposed ? 1 : 0];
  Dims shape = c.stored(t.input1_id()).shape();
  const std::uint64_t elements = element_count(shape);
  if (elements % depth != 0)
    c.refuse(fail("its input {} has no rows of {} elements", shape, depth));
  const auto rows = static_cast<std::uint32_t>(elements / depth);
  const Factors f = factors_of(c, t.input1_id(), t.filter_id(), rows);
  if (t.flags() & reshape_to_2d) shape = {rows, outputs};
  else if (shape.empty() || shape.back() != depth)
    c.refuse(fail("the last dimension of its input {} is not {}", shape, depth));
  else shape.back() = outputs;
  std::optional<MLOperand> bias;
  if (c.has(t.bias_id())) {
    bias = c.converted(c.numbers(t.bias_id()), f.x);
    if (element_count(bias->shape()) != outputs)
      c.refuse(fail("its bias has shape {}, but there are {} outputs", bias->shape(), outputs));
    bias = c.reshaped(*bias, {outputs});
  }
  MLGemmOptions o{.bTranspose = !transposed, .label = c.label(t.output_id())};
  if (!f.scale) o.c = bias;
  MLOperand y = c.reshaped(c.b.gemm(c.reshaped(f.x, {rows, depth}), f.filter, o), shape);
  y = rescaled(c, f, std::move(y), bias);
  c.put(t.output_id(), c.clamped(y));
}

MLOperand transposed(const NodeCall& c, const MLOperand& x) {
  if (x.rank() < 2) c.refuse(fail("its input has shape {}, which is not a matrix", x.shape()));
  Dims order(x.rank());
  for (std::uint32_t d = 0; d < order.size(); ++d) order[d] = d;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return c.b.transpose(x, {.permutation = order});
}

void batch_matrix_multiply(NodeCall& c) {
  const auto& t = c.table<xnn::Node2x1>();
  c.check_flags(t.flags(), transpose_b | transpose_a);
  MLOperand x = c.numbers(t.input1_id()), y = c.numbers(t.input2_id());
  if (t.flags() & transpose_a) x = transposed(c, x);
  if (t.flags() & transpose_b) y = transposed(c, y);
  c.put(t.output_id(),
        c.clamped(c.b.matmul(x, c.converted(y, x), {.label = c.label(t.output_id())})));
}

/// softmax(query * scale, by key, + mask) * value, where scale is of each channel.
void attention(NodeCall& c) {
  const auto& t = c.table<xnn::NodeAttention>();
  c.check_flags(t.flags());
  const MLOperand query = c.numbers(t.query_id());
  if (query.rank() == 0) c.refuse(fail("its query is a scalar"));
  const MLOperand scaled = c.b.mul(query, c.numbers(t.scale_id()));
  const MLOperand products = c.b.matmul(scaled, transposed(c, c.numbers(t.key_id())));
  const MLOperand logits = c.b.add(products, c.numbers(t.mask_id()));
  const MLOperand weights = c.b.softmax(logits, logits.rank() - 1);
  c.put(t.output_id(),
        c.b.matmul(weights, c.numbers(t.value_id()), {.label = c.label(t.output_id())}));
}

/// Turns pairs of channels, one in each half: x is [batch, tokens, heads, channels], the weights
/// [tokens or more, channels] are cosines and sines.
void rope(NodeCall& c) {
  const auto& t = c.table<xnn::NodeRope>();
  c.check_flags(t.flags());
  const MLOperand x = c.numbers(t.input_id());
  c.require_rank(x, 4);
  const Dims shape = x.shape();
  const std::uint32_t tokens = shape[1], channels = shape[3], half = channels / 2;
  MLOperand weights = c.converted(c.numbers(t.weights_id()), x);
  const Dims given = weights.shape();
  if (channels % 2 != 0 || given.size() < 2 || given.back() != channels ||
      given[given.size() - 2] < tokens ||
      element_count(given) != std::uint64_t{given[given.size() - 2]} * channels)
    c.refuse(fail("its weights have shape {} for an input of {}", given, shape));
  weights = c.reshaped(weights, {given[given.size() - 2], 1, channels});
  const auto part = [&](const MLOperand& v, std::uint32_t from) {
    Dims starts(v.rank(), 0), sizes = v.shape();
    starts.back() = from;
    sizes.back() = half;
    if (v.rank() == 3) sizes[0] = tokens;
    return c.b.slice(v, starts, sizes);
  };
  const MLOperand cosines = part(weights, 0), sines = part(weights, half);
  const MLOperand a = part(x, 0), b = part(x, half);
  c.put(t.output_id(), c.b.concat({c.b.sub(c.b.mul(a, cosines), c.b.mul(b, sines)),
                                   c.b.add(c.b.mul(a, sines), c.b.mul(b, cosines))},
                                  3, {.label = c.label(t.output_id())}));
}

}  // namespace

Handler product_handler(Kind kind) {
  switch (kind) {
    case Kind::FullyConnected: return fully_connected;
    case Kind::BatchMatrixMultiply: return batch_matrix_multiply;
    case Kind::Rope: return rope;
    case Kind::ScaledDotProductAttention: return attention;
    default: return nullptr;
  }
}

}  // namespace webnn::inline v0_1::executorch
