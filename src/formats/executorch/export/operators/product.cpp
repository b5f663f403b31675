// gemm and matmul.
#include "src/formats/executorch/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

/// A constant of float32 [columns], or something that becomes one, is the bias of FullyConnected.
bool is_bias(const MLOperand& c, std::uint32_t columns) {
  return c.rank() > 0 && c.shape().back() == columns && element_count(c.shape()) == columns;
}

}  // namespace

Values lower(LoweringContext& s, const ops::gemm& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  Value a = s(op.a);
  Value b = s(op.b);
  if (o.aTranspose) a = e.transpose(a, {1, 0});
  const std::uint32_t columns = s.result().shape[1];
  const bool plain = o.alpha == 1 && o.beta == 1 && o.c && is_bias(*o.c, columns);
  if (e.constant(b)) {
    if (!o.bTranspose) b = e.transpose(b, {1, 0});
    Value bias;
    if (plain) bias = s.bias(o.c, a, b);
    if (bias && !e.constant(bias)) bias = {};
    if (!o.c || bias) {
      if (o.alpha == 1) return e.fully_connected(a, b, bias, s.result(), s.limits());
    }
    if (s.quantized()) return s.refuse(fail("XNNPACK's quantized product cannot have this c"));
    a = e.fully_connected(a, b, {}, s.result(), {});
  } else {
    if (s.quantized()) return s.refuse(fail("XNNPACK's quantized product needs a constant filter"));
    a = e.matrices(a, o.bTranspose ? e.transpose(b, {1, 0}) : b);
  }
  if (o.alpha != 1) a = e.binary(Kind::Multiply, a, o.alpha);
  if (!o.c) return a;
  Value c = s(*o.c);
  if (o.beta != 1) c = e.binary(Kind::Multiply, c, o.beta);
  return e.binary(Kind::Add, a, c, s.result(), s.limits());
}

Values lower(LoweringContext& s, const ops::matmul& op) {
  Emitter& e = s.e();
  const Value a = s(op.a), b = s(op.b);
  if (op.b.rank() == 2 && e.constant(b))
    return e.fully_connected(a, e.transpose(b, {1, 0}), {}, s.result(), s.limits());
  if (s.quantized()) return s.refuse(fail("XNNPACK's quantized product needs a constant filter"));
  return e.matrices(a, b);
}

}  // namespace webnn::inline v0_1::executorch::exporter
