// gemm and matmul.
#include <numeric>

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

Value fully_connected(Emitter& e, Value x, Value weight, Value bias, TensorSpec result,
                      bool keep_dims, ActivationFunctionType activation) {
  schema::FullyConnectedOptionsT options;
  options.keep_num_dims = keep_dims;
  options.fused_activation_function = activation;
  std::vector<Value> inputs{x, weight};
  if (bias) inputs.push_back(bias);
  return e.emit(FULLY_CONNECTED, std::move(inputs), std::move(result), std::optional(options));
}

Values lower(LoweringContext& s, const ops::gemm& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value a = o.aTranspose ? e.transpose(s(op.a), {1, 0}) : s(op.a);
  const Value b = o.bTranspose ? s(op.b) : e.transpose(s(op.b), {1, 0});
  const Dims out = s.result().shape;
  // c can be the bias when it is a row.
  const bool row = o.c && o.c->rank() > 0 && o.c->shape().back() == out[1] &&
                   element_count(o.c->shape()) == out[1];
  if (o.alpha == 1 && (!o.c || (row && o.beta == 1))) {
    Value bias;
    if (o.c) bias = e.reshape(s.bias(*o.c, a, b), {out[1]});
    return fully_connected(e, a, b, bias, s.result(), false, s.activation());
  }
  Value y = fully_connected(e, a, b, {}, s.result(), false, ActivationFunctionType::NONE);
  if (o.alpha != 1) y = e.binary(MUL, y, o.alpha);
  if (!o.c || o.beta == 0) return y;
  const Value c = o.beta == 1 ? s(*o.c) : e.binary(MUL, s(*o.c), o.beta);
  return e.binary(ADD, y, c, s.activation());
}

namespace {

/// Batches as one dimension, after broadcasting.
Value flattened(Emitter& e, Value x, const Dims& batches) {
  const Dims shape = e.shape(x);
  Dims wide = batches;
  wide.insert(wide.end(), shape.end() - 2, shape.end());
  const auto count =
      std::accumulate(batches.begin(), batches.end(), std::uint32_t{1}, std::multiplies<>());
  return e.reshape(e.broadcast_to(x, wide), {count, shape.end()[-2], shape.end()[-1]});
}

}  // namespace

Values lower(LoweringContext& s, const ops::matmul& op) {
  Emitter& e = s.e();
  const Value a = s(op.a), b = s(op.b);
  const Dims out = s.result().shape;
  if (op.b.rank() == 2 && e.constant(b)) {
    const Value weight = e.transpose(b, {1, 0});
    return fully_connected(e, a, weight, {}, s.result(), op.a.rank() > 2, s.activation());
  }
  const schema::BatchMatMulOptionsT options;
  if (out.size() <= 4) return e.emit(BATCH_MATMUL, {a, b}, s.result(), std::optional(options));
  const Dims batches(out.begin(), out.end() - 2);
  const Value x = flattened(e, a, batches), y = flattened(e, b, batches);
  const Dims flat{e.shape(x)[0], out.end()[-2], out.end()[-1]};
  return e.reshape(e.emit(BATCH_MATMUL, {x, y}, s.result(flat), std::optional(options)), out);
}

}  // namespace webnn::inline v0_1::tflite::exporter
