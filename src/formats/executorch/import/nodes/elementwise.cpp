// Nodes of one and of two operands, element by element, and Softmax.
#include "src/formats/common/tanh_gelu.h"
#include "src/formats/executorch/import/node.h"

namespace webnn::inline v0_1::executorch {
namespace {

using Kind = xnn::NodeUnion;

template <auto F> void unary(NodeCall& c) {
  const auto& t = c.table<xnn::Node1x1>();
  c.check_flags(t.flags());
  c.put(t.output_id(),
        c.clamped(F(c.b, c.numbers(t.input_id()), MLOperatorOptions{c.label(t.output_id())})));
}

using Options = MLOperatorOptions;
MLOperand abs(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.abs(x, o); }
MLOperand ceil(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.ceil(x, o); }
MLOperand cos(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.cos(x, o); }
MLOperand exp(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.exp(x, o); }
MLOperand floor(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.floor(x, o); }
MLOperand gelu(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.gelu(x, o); }
MLOperand approx_gelu(MLGraphBuilder& b, const MLOperand& x, Options o) {
  return formats::tanh_gelu(b, x, o);
}
MLOperand hard_swish(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.hardSwish(x, o); }
MLOperand log(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.log(x, o); }
MLOperand neg(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.neg(x, o); }
MLOperand rsqrt(MLGraphBuilder& b, const MLOperand& x, Options o) {
  return b.reciprocal(b.sqrt(x), o);
}
MLOperand sigmoid(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.sigmoid(x, o); }
MLOperand sin(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.sin(x, o); }
MLOperand sqrt(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.sqrt(x, o); }
MLOperand square(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.mul(x, x, o); }
MLOperand tanh(MLGraphBuilder& b, const MLOperand& x, Options o) { return b.tanh(x, o); }

/// All that Clamp does are the limits that any node may have.
void clamp(NodeCall& c) {
  const auto& t = c.table<xnn::Node1x1>();
  c.check_flags(t.flags());
  const bool stays = c.same_scales(t.input_id(), t.output_id()) && !c.has_limits();
  if (stays) return c.put_stored(t.output_id(), c.b.identity(c.stored(t.input_id())));
  c.put(t.output_id(), c.clamped(c.numbers(t.input_id())));
}

void softmax(NodeCall& c) {
  const auto& t = c.table<xnn::Node1x1>();
  c.check_flags(t.flags());
  const MLOperand x = c.numbers(t.input_id());
  if (x.rank() == 0) c.refuse(fail("its input is a scalar"));
  c.put(t.output_id(), c.b.softmax(x, x.rank() - 1, {.label = c.label(t.output_id())}));
}

void leaky_relu(NodeCall& c) {
  const auto& t = c.table<xnn::NodeLeakyReLU>();
  c.check_flags(t.flags());
  c.put(t.output_id(), c.b.leakyRelu(c.numbers(t.input_id()), {.alpha = t.negative_slope(),
                                                               .label = c.label(t.output_id())}));
}

void elu(NodeCall& c) {
  const auto& t = c.table<xnn::NodeELU>();
  c.check_flags(t.flags());
  c.put(t.output_id(),
        c.b.elu(c.numbers(t.input_id()), {.alpha = t.alpha(), .label = c.label(t.output_id())}));
}

/// Between types: also from and to quantized elements.
void convert(NodeCall& c) {
  const auto& t = c.table<xnn::Node1x1>();
  c.check_flags(t.flags(), 0x180);  // hints for the layout of quantized rows
  const ValueInfo& to = c.info(t.output_id());
  MLOperand x = c.numbers(t.input_id());
  const bool to_float = types::floats.contains(*to.dataType);
  if (!to.scales && !to.dynamic_dims && x.dataType() != *to.dataType) x = c.b.cast(x, *to.dataType);
  else if (to.scales && !types::floats.contains(x.dataType())) x = c.b.cast(x, float32);
  else if (to_float && !to.dynamic_dims && x.is(c.stored(t.input_id()))) x = c.b.identity(x);
  c.put(t.output_id(), x);
}

void copy(NodeCall& c) {
  const auto& t = c.table<xnn::Node1x1>();
  c.check_flags(t.flags());
  c.move(t.input_id(), t.output_id(),
         [&](const MLOperand& x) { return c.b.identity(x, {.label = c.label(t.output_id())}); });
}

template <auto F> void binary(NodeCall& c) {
  const auto& t = c.table<xnn::Node2x1>();
  c.check_flags(t.flags());
  const MLOperand x = c.numbers(t.input1_id());
  c.put(t.output_id(),
        c.clamped(F(c.b, x, c.numbers(t.input2_id()), MLOperatorOptions{c.label(t.output_id())})));
}
using X = const MLOperand&;
MLOperand add(MLGraphBuilder& b, X x, X y, Options o) { return b.add(x, y, o); }
MLOperand sub(MLGraphBuilder& b, X x, X y, Options o) { return b.sub(x, y, o); }
MLOperand mul(MLGraphBuilder& b, X x, X y, Options o) { return b.mul(x, y, o); }
MLOperand div(MLGraphBuilder& b, X x, X y, Options o) { return b.div(x, y, o); }
MLOperand min(MLGraphBuilder& b, X x, X y, Options o) { return b.min(x, y, o); }
MLOperand max(MLGraphBuilder& b, X x, X y, Options o) { return b.max(x, y, o); }
MLOperand prelu(MLGraphBuilder& b, X x, X y, Options o) { return b.prelu(x, y, o); }

}  // namespace

Handler elementwise_handler(Kind kind) {
  switch (kind) {
    case Kind::Add: return binary<add>;
    case Kind::Subtract: return binary<sub>;
    case Kind::Multiply: return binary<mul>;
    case Kind::Div: return binary<div>;
    case Kind::Minimum: return binary<min>;
    case Kind::Maximum: return binary<max>;
    case Kind::PReLU: return binary<prelu>;
    case Kind::Abs: return unary<abs>;
    case Kind::ApproxGelu: return unary<approx_gelu>;
    case Kind::Ceiling: return unary<ceil>;
    case Kind::Cos: return unary<cos>;
    case Kind::Exp: return unary<exp>;
    case Kind::Floor: return unary<floor>;
    case Kind::Gelu: return unary<gelu>;
    case Kind::Hardswish: return unary<hard_swish>;
    case Kind::Log: return unary<log>;
    case Kind::Negate: return unary<neg>;
    case Kind::ReciprocalSquareRoot: return unary<rsqrt>;
    case Kind::Sigmoid: return unary<sigmoid>;
    case Kind::Sin: return unary<sin>;
    case Kind::SquareRoot: return unary<sqrt>;
    case Kind::Square: return unary<square>;
    case Kind::Tanh: return unary<tanh>;
    case Kind::Clamp: return clamp;
    case Kind::Softmax: return softmax;
    case Kind::LeakyReLU: return leaky_relu;
    case Kind::ELU: return elu;
    case Kind::Convert: return convert;
    case Kind::Copy: return copy;
    default: return nullptr;
  }
}

}  // namespace webnn::inline v0_1::executorch
