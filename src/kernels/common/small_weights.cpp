#include "src/kernels/common/small_weights.h"

#include "src/graph/op.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/quantized.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::uint64_t min_elements = 4096;    // of weights that stay small
constexpr std::uint64_t min_filter = 64 << 10;  // of a filter: smaller ones are in the caches
constexpr std::uint32_t min_columns = 33;       // more than two vectors, whatever the vectors are

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }

bool is_small(MLOperandDataType type) {
  return type == int4 || type == uint4 || type == int8 || type == uint8;
}

/// The number of columns of the matrix b.
std::uint32_t columns_of(const ops::gemm& op) {
  return op.b.shape()[op.options.bTranspose ? 0 : 1];
}

/// Elements of each matrix.
std::uint64_t matrix_size(const Dims& shape) {
  return std::uint64_t{shape.end()[-2]} * shape.back();
}

}  // namespace

const ops::cast* casts_to_float32(const Node& node) {
  return node.output().dataType() == float32 ? as<ops::cast>(node) : nullptr;
}

std::int32_t integer_at(MLOperandDataType type, const std::byte* bytes, std::size_t i) {
  const auto at = [&](std::size_t k) { return static_cast<std::int32_t>(bytes[k]); };
  switch (type) {
    case int8: return at(i) >= 128 ? at(i) - 256 : at(i);
    case uint8: return at(i);
    default: {
      const std::int32_t v = at(i / 2) >> (i % 2 * 4) & 15;
      return type == int4 && v > 7 ? v - 16 : v;
    }
  }
}

bool expands_small_weights(const Node& node) {
  if (const auto* op = as<ops::cast>(node))
    return is_constant(op->input) && is_float(op->input.dataType()) &&
           op->input.dataType() != float32 && node.output().dataType() == float32;
  const auto* op = as<ops::dequantizeLinear>(node);
  if (!op || !is_constant(op->input) || !is_constant(op->scale) || !is_constant(op->zeroPoint))
    return false;
  const MLOperandDataType type = op->input.dataType(), scale = op->scale.dataType();
  return is_small(type) ? scale == float32 || scale == float16
                        : type == float8e4m3 && scale == float32;
}

std::size_t expanding_operators(Chain chain) {
  if (chain.size() < 2 || !expands_small_weights(chain[0])) return 0;
  if (!makes_float16(chain[0])) return 1;
  return chain.size() > 2 && casts_to_float32(chain[1]) ? 2 : 0;
}

std::optional<Node> expanding_operator(const Graph& graph, const MLOperand& x) {
  if (x.record().kind != OperandKind::result) return std::nullopt;
  Node node = graph.producer_of(x);
  if (const auto* cast = casts_to_float32(node);
      cast && cast->input.record().kind == OperandKind::result) {
    node = graph.producer_of(cast->input);
    if (!makes_float16(node)) return std::nullopt;
  }
  const bool to_float32 = node.output().is(x) != makes_float16(node);
  return to_float32 && expands_small_weights(node) ? std::optional(node) : std::nullopt;
}

SmallWeights small_weights_of(const Node& node) {
  SmallWeights w = small_weights_form(node);
  w.bytes = node.input(0).constant()->bytes();
  if (!w.scaled()) return w;
  const auto& op = *as<ops::dequantizeLinear>(node);
  if (op.scale.dataType() == float16) {
    const auto bytes = op.scale.constant()->bytes();
    w.float16_scales = {reinterpret_cast<const Float16*>(bytes.data()),
                        bytes.size() / sizeof(Float16)};
  } else {
    w.float_scales = floats_of(op.scale);
  }
  w.zero = op.zeroPoint.constant()->bytes();
  return w;
}

SmallWeights small_weights_form(const Node& node) {
  const MLOperand& x = node.input(0);
  SmallWeights w{.type = x.dataType(), .shape = x.shape()};
  const auto* op = as<ops::dequantizeLinear>(node);
  if (!op) return w;
  w.scale_shape = op->scale.shape();
  w.scale_shape.insert(w.scale_shape.begin(), w.shape.size() - w.scale_shape.size(), 1);
  return w;
}

const MLOperand* small_weights_operand(const Node& node) {
  const auto large = [](const MLOperand& x, std::uint64_t least) {
    return element_count(x.shape()) >= least;
  };
  if (const auto* op = as<ops::gemm>(node))
    return columns_of(*op) >= min_columns && large(op->b, min_elements) ? &op->b : nullptr;
  if (const auto* op = as<ops::matmul>(node))
    return op->b.shape().back() >= min_columns && matrix_size(op->b.shape()) >= min_elements
               ? &op->b
               : nullptr;
  if (const auto* op = as<ops::conv2d>(node)) {
    const auto c = convolution_of(*op, node.output());
    return c && c->groups == 1 && large(op->filter, min_filter) &&
                   c->out_channels >= static_cast<int>(min_columns)
               ? &op->filter
               : nullptr;
  }
  if (const auto* op = as<ops::gather>(node))
    return op->options.axis == 0 && op->input.rank() == 2 && large(op->input, min_elements)
               ? &op->input
               : nullptr;
  return nullptr;
}

WeightAxes weight_axes(const Node& node) {
  if (const auto* op = as<ops::gemm>(node))
    return op->options.bTranspose ? WeightAxes{1, 0} : WeightAxes{0, 1};
  if (const auto* op = as<ops::matmul>(node)) return {op->b.rank() - 2u, op->b.rank() - 1u};
  if (const auto* op = as<ops::conv2d>(node)) {
    using enum MLConv2dFilterOperandLayout;
    switch (op->options.filterLayout) {
      case oihw: return {1, 0, {{2, 3}}};
      case hwio: return {2, 3, {{0, 1}}};
      case ohwi: return {3, 0, {{1, 2}}};
      case ihwo: return {0, 3, {{1, 2}}};
    }
  }
  if (const auto* op = as<ops::convTranspose2d>(node)) {
    using enum MLConvTranspose2dFilterOperandLayout;
    switch (op->options.filterLayout) {
      case iohw: return {0, 1, {{2, 3}}};
      case hwoi: return {3, 2, {{0, 1}}};
      case ohwi: return {3, 0, {{1, 2}}};
    }
  }
  return {1, 0};
}

}  // namespace webnn::inline v0_1
