#include "src/formats/tflite/import/bias.h"
#include "src/formats/tflite/import/hybrid.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// The bias for weights with open outputs.
std::optional<MLOperand> bias_of_open(const Call& c) {
  if (!c.has(2)) return std::nullopt;
  c.require_rank(c.stored(2), 1, 1);
  return c.value(2);
}

/// x [rows, depth] times the transposed weights [outputs, depth], plus bias.
MLOperand product(const Call& c, const MLOperand& x, const Size& outputs, bool asymmetric) {
  MLGemmOptions options{.bTranspose = true, .label = c.label()};
  const auto bias = outputs.is_known()
                        ? bias_of(c, 2, 0, 1, static_cast<std::uint32_t>(outputs.number()))
                        : bias_of_open(c);
  if (!is_hybrid(c, 0, 1)) {
    options.c = bias;
    return c.b.gemm(x, c.value(1), std::move(options));
  }
  const auto [integers, scale] = quantized_in_run(c, x, asymmetric);
  return rescaled(c, c.b.gemm(integers, unscaled(c, 1), std::move(options)), scale, 1, bias);
}

/// How many rows of that many elements an input has.
Size rows_of(const Call& c, const SizeList& shape, const Size& depth) {
  if (!formats::are_known(shape) && !shape.empty() && shape.back().same_as(depth))
    return formats::product({shape.begin(), shape.end() - 1});
  const Size elements = formats::product(shape);
  if (elements.is_known() && depth.is_known() && elements.number() % depth.number() != 0)
    c.refuse(
        fail("the input {} has no rows of {} elements", formats::text_of(shape), depth.number()));
  return elements / depth;
}

/// Rows of the input's last dimensions, as many elements as the weights [outputs, depth] have
/// columns.
void fully_connected(Call& c) {
  const auto o = c.options<schema::FullyConnectedOptionsT>();
  if (o.weights_format != schema::FullyConnectedOptionsWeightsFormat::DEFAULT)
    c.unsupported("weights that are shuffled");
  const MLOperand stored = c.stored(0), weights = c.stored(1);
  c.require_rank(weights, 2, 2);
  const Size outputs = Size::dimension(weights, 0), depth = Size::dimension(weights, 1);
  SizeList shape = formats::sizes_of(stored);
  const MLOperand x = c.numbers(0, c.reshaped(stored, SizeList{rows_of(c, shape, depth), depth}));
  const MLOperand y = product(c, x, outputs, o.asymmetric_quantize_inputs);
  c.put(c.activated(y, o.fused_activation_function));
  if (!o.keep_num_dims) return;
  const bool known = !shape.empty() && shape.back().is_known() && depth.is_known();
  if (shape.empty() || (known && !shape.back().is(depth.number())))
    c.refuse(fail("the last dimension of {} is not {}", formats::text_of(shape), depth.text()));
  shape.back() = outputs;
  const auto result = static_cast<std::int32_t>(c.out().index);
  c.put_stored(c.reshaped(c.scope().value(result), shape));
}

void batch_matmul(Call& c) {
  const auto o = c.options<schema::BatchMatMulOptionsT>();
  const auto matrix = [&](std::size_t i, bool transposed) {
    const MLOperand x = c.value(i);
    c.require_rank(x, 2, max_rank);
    Dims order(x.rank());
    for (std::uint32_t d = 0; d < order.size(); ++d) order[d] = d;
    if (transposed) std::swap(order[order.size() - 1], order[order.size() - 2]);
    return c.permuted(x, order);
  };
  const MLOperand a = matrix(0, o.adj_x), b = matrix(1, o.adj_y);
  c.put(c.b.matmul(a, b, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::FULLY_CONNECTED, fully_connected, 2, 3},
    {Code::BATCH_MATMUL, batch_matmul, 2, 2},
};

}  // namespace

std::span<const Handler> matmul_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
