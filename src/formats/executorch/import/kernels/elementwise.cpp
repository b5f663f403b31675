// Element-wise operators. Arithmetic is done in the type of the result, as PyTorch promotes.
#include <cmath>

#include "src/formats/executorch/import/kernels.h"

namespace webnn::inline v0_1::executorch {
namespace {

using B = MLGraphBuilder;

/// The second operand: a tensor or a number.
MLOperand second(const KernelCall& c, bool is_number) {
  return is_number ? c.scalar(c.number(1)) : c.promoted(1);
}

template <MLOperand (*F)(B&, const MLOperand&, const MLOperand&), bool is_number>
MLOperand binary(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  return F(b, c.promoted(0), second(c, is_number));
}
MLOperand add(B& b, const MLOperand& x, const MLOperand& y) { return b.add(x, y); }
MLOperand sub(B& b, const MLOperand& x, const MLOperand& y) { return b.sub(x, y); }
MLOperand mul(B& b, const MLOperand& x, const MLOperand& y) { return b.mul(x, y); }
MLOperand div(B& b, const MLOperand& x, const MLOperand& y) { return b.div(x, y); }
MLOperand power(B& b, const MLOperand& x, const MLOperand& y) { return b.pow(x, y); }
MLOperand larger(B& b, const MLOperand& x, const MLOperand& y) { return b.max(x, y); }
MLOperand smaller(B& b, const MLOperand& x, const MLOperand& y) { return b.min(x, y); }

/// The second operand times alpha, which is argument 2.
template <MLOperand (*F)(B&, const MLOperand&, const MLOperand&), bool is_number>
MLOperand scaled(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  MLOperand y = second(c, is_number);
  if (const double alpha = c.number(2); alpha != 1) y = b.mul(y, c.scalar(alpha));
  return F(b, c.promoted(0), y);
}

template <bool is_number> MLOperand quotient(const KernelCall& c) {
  if (!types::floats.contains(c.type()))
    c.unsupported(fail("its result is {}, not of a float type", c.type()));
  return binary<&div, is_number>(c);
}
template <bool is_number> MLOperand rounded_quotient(const KernelCall& c) {
  const MLOperand y = quotient<is_number>(c);
  B& b = c.b;
  if (c.is_none(2)) return y;
  const std::string_view mode = c.text(2);
  if (mode == "floor") return b.floor(y);
  if (mode != "trunc") c.refuse(fail("its rounding is {}", in_quotes(mode)));
  return b.mul(b.sign(y), b.floor(b.abs(y)));
}

/// Both operands in one type: the wider one, a float before an integer.
std::pair<MLOperand, MLOperand> common(const KernelCall& c, bool is_number) {
  B& b = c.b;
  const MLOperand x = c.x(0);
  const auto rank_of = [](MLOperandDataType t) {
    return bits_of(t) + (types::floats.contains(t) ? 1000 : 0);
  };
  if (!is_number) {
    const MLOperand y = c.x(1);
    const auto type = rank_of(x.dataType()) >= rank_of(y.dataType()) ? x.dataType() : y.dataType();
    return {c.cast(x, type), c.cast(y, type)};
  }
  const double n = c.number(1);
  const bool is_whole = n == std::floor(n) && std::abs(n) < 2147483648.0;
  const bool is_float = types::floats.contains(x.dataType());
  if (is_float) return {x, b.constant(x.dataType(), n)};
  if (!is_whole) return {c.cast(x, float32), b.constant(float32, n)};
  return {c.cast(x, int64), b.constant(int64, static_cast<std::int64_t>(n))};
}
template <MLOperand (*F)(B&, const MLOperand&, const MLOperand&), bool is_number>
MLOperand comparison(const KernelCall& c) {
  B& b = c.b;
  const auto [x, y] = common(c, is_number);
  return F(b, x, y);
}
MLOperand equal(B& b, const MLOperand& x, const MLOperand& y) { return b.equal(x, y); }
MLOperand unequal(B& b, const MLOperand& x, const MLOperand& y) { return b.notEqual(x, y); }
MLOperand less(B& b, const MLOperand& x, const MLOperand& y) { return b.lesser(x, y); }
MLOperand at_most(B& b, const MLOperand& x, const MLOperand& y) { return b.lesserOrEqual(x, y); }
MLOperand greater(B& b, const MLOperand& x, const MLOperand& y) { return b.greater(x, y); }
MLOperand at_least(B& b, const MLOperand& x, const MLOperand& y) { return b.greaterOrEqual(x, y); }

/// Whether elements are not 0.
MLOperand truth(const KernelCall& c, std::size_t i) {
  B& b = c.b;
  const MLOperand x = c.x(i);
  return b.notEqual(x, b.constant(x.dataType(), 0));
}
MLOperand logical_and(const KernelCall& c) {
  B& b = c.b;
  return b.logicalAnd(truth(c, 0), truth(c, 1));
}
MLOperand logical_or(const KernelCall& c) {
  B& b = c.b;
  return b.logicalOr(truth(c, 0), truth(c, 1));
}
MLOperand logical_xor(const KernelCall& c) {
  B& b = c.b;
  return b.logicalXor(truth(c, 0), truth(c, 1));
}
MLOperand logical_not(const KernelCall& c) {
  B& b = c.b;
  return b.logicalNot(truth(c, 0));
}

/// A function whose results are floats, also of integers.
template <MLOperand (*F)(B&, const MLOperand&)> MLOperand function(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  return F(b, c.promoted(0));
}
#define WEBNN_FUNCTION(name, expression) \
  MLOperand name(B& b, const MLOperand& x) { return expression; }
WEBNN_FUNCTION(absolute, b.abs(x))
WEBNN_FUNCTION(negative, b.neg(x))
WEBNN_FUNCTION(exponential, b.exp(x))
WEBNN_FUNCTION(logarithm, b.log(x))
WEBNN_FUNCTION(root, b.sqrt(x))
WEBNN_FUNCTION(inverse_root, b.reciprocal(b.sqrt(x)))
WEBNN_FUNCTION(inverse, b.reciprocal(x))
WEBNN_FUNCTION(sine, b.sin(x))
WEBNN_FUNCTION(cosine, b.cos(x))
WEBNN_FUNCTION(tangent, b.tan(x))
WEBNN_FUNCTION(hyperbolic_tangent, b.tanh(x))
WEBNN_FUNCTION(logistic, b.sigmoid(x))
WEBNN_FUNCTION(rectified, b.relu(x))
WEBNN_FUNCTION(rounded_down, b.floor(x))
WEBNN_FUNCTION(rounded_up, b.ceil(x))
WEBNN_FUNCTION(rounded, b.roundEven(x))
WEBNN_FUNCTION(error_function, b.erf(x))
WEBNN_FUNCTION(sign_of, b.sign(x))
#undef WEBNN_FUNCTION

/// Limits are numbers or none.
MLOperand clamp(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  MLClampOptions o;
  if (!c.is_none(1)) o.minValue = c.number(1);
  if (!c.is_none(2)) o.maxValue = c.number(2);
  return b.clamp(c.promoted(0), o);
}
MLOperand clamp_to_tensors(const KernelCall& c) {
  c.require_arithmetic();
  B& b = c.b;
  MLOperand y = c.promoted(0);
  if (!c.is_none(1)) y = b.max(y, c.promoted(1));
  if (!c.is_none(2)) y = b.min(y, c.promoted(2));
  return y;
}
MLOperand leaky_relu(const KernelCall& c) {
  B& b = c.b;
  return b.leakyRelu(c.x(), {.alpha = c.number(1)});
}
MLOperand elu(const KernelCall& c) {
  if (c.number(2) != 1 || c.number(3) != 1) c.unsupported(fail("its scales are not 1"));
  B& b = c.b;
  return b.elu(c.x(), {.alpha = c.number(1)});
}
MLOperand gelu(const KernelCall& c) {
  B& b = c.b;
  const MLOperand x = c.x();
  if (c.text(1) == "none") return b.gelu(x);
  if (c.text(1) != "tanh") c.refuse(fail("its approximation is {}", in_quotes(c.text(1))));
  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  const MLOperand cubic = b.mul(b.mul(b.mul(x, x), x), c.scalar(0.044715));
  const MLOperand inner = b.mul(b.add(x, cubic), c.scalar(0.7978845608028654));
  return b.mul(b.mul(x, c.scalar(0.5)), b.add(b.tanh(inner), c.scalar(1)));
}

constexpr KernelRow rows[] = {
    {"aten::add.out", &scaled<&add, false>},
    {"aten::add.Scalar_out", &scaled<&add, true>},
    {"aten::sub.out", &scaled<&sub, false>},
    {"aten::sub.Scalar_out", &scaled<&sub, true>},
    {"aten::mul.out", &binary<&mul, false>},
    {"aten::mul.Scalar_out", &binary<&mul, true>},
    {"aten::div.out", &quotient<false>},
    {"aten::div.Scalar_out", &quotient<true>},
    {"aten::div.out_mode", &rounded_quotient<false>},
    {"aten::div.Scalar_mode_out", &rounded_quotient<true>},
    {"aten::pow.Tensor_Tensor_out", &binary<&power, false>},
    {"aten::pow.Tensor_Scalar_out", &binary<&power, true>},
    {"aten::maximum.out", &binary<&larger, false>},
    {"aten::minimum.out", &binary<&smaller, false>},
    {"aten::eq.Tensor_out", &comparison<&equal, false>},
    {"aten::eq.Scalar_out", &comparison<&equal, true>},
    {"aten::ne.Tensor_out", &comparison<&unequal, false>},
    {"aten::ne.Scalar_out", &comparison<&unequal, true>},
    {"aten::lt.Tensor_out", &comparison<&less, false>},
    {"aten::lt.Scalar_out", &comparison<&less, true>},
    {"aten::le.Tensor_out", &comparison<&at_most, false>},
    {"aten::le.Scalar_out", &comparison<&at_most, true>},
    {"aten::gt.Tensor_out", &comparison<&greater, false>},
    {"aten::gt.Scalar_out", &comparison<&greater, true>},
    {"aten::ge.Tensor_out", &comparison<&at_least, false>},
    {"aten::ge.Scalar_out", &comparison<&at_least, true>},
    {"aten::logical_and.out", &logical_and},
    {"aten::logical_or.out", &logical_or},
    {"aten::logical_xor.out", &logical_xor},
    {"aten::logical_not.out", &logical_not},
    {"aten::abs.out", &function<&absolute>},
    {"aten::neg.out", &function<&negative>},
    {"aten::exp.out", &function<&exponential>},
    {"aten::log.out", &function<&logarithm>},
    {"aten::sqrt.out", &function<&root>},
    {"aten::rsqrt.out", &function<&inverse_root>},
    {"aten::reciprocal.out", &function<&inverse>},
    {"aten::sin.out", &function<&sine>},
    {"aten::cos.out", &function<&cosine>},
    {"aten::tan.out", &function<&tangent>},
    {"aten::tanh.out", &function<&hyperbolic_tangent>},
    {"aten::sigmoid.out", &function<&logistic>},
    {"aten::relu.out", &function<&rectified>},
    {"aten::floor.out", &function<&rounded_down>},
    {"aten::ceil.out", &function<&rounded_up>},
    {"aten::round.out", &function<&rounded>},
    {"aten::erf.out", &function<&error_function>},
    {"aten::sign.out", &function<&sign_of>},
    {"aten::clamp.out", &clamp},
    {"aten::clamp.Tensor_out", &clamp_to_tensors},
    {"aten::hardtanh.out", &clamp},
    {"aten::leaky_relu.out", &leaky_relu},
    {"aten::elu.out", &elu},
    {"aten::gelu.out", &gelu},
};

}  // namespace

std::span<const KernelRow> elementwise_kernels() { return rows; }

}  // namespace webnn::inline v0_1::executorch
